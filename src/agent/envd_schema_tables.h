#pragma once
// The fields of each message of process.proto and filesystem.proto. Only envd_schema.cc includes
// it.

#include <string_view>

#include "rpc/connect/schema.h"

namespace viv::agent::tables {

using Proto = connect::FieldType;
using connect::Field;
inline constexpr auto kMany = connect::FieldShape::kRepeated;
inline constexpr auto kByName = connect::FieldShape::kStringMap;
inline constexpr auto kOne = connect::FieldShape::kSingle;

// process.proto
inline constexpr Field kPty[] = {{1, "size", Proto::kMessage, kOne, "process.PTY.Size"}};
inline constexpr Field kPtySize[] = {{1, "cols", Proto::kUint32}, {2, "rows", Proto::kUint32}};
inline constexpr Field kProcessConfig[] = {{1, "cmd", Proto::kString},
                                           {2, "args", Proto::kString, kMany},
                                           {3, "envs", Proto::kString, kByName},
                                           {4, "cwd", Proto::kString}};
inline constexpr Field kProcessInfo[] = {
    {1, "config", Proto::kMessage, kOne, "process.ProcessConfig"},
    {2, "pid", Proto::kUint32},
    {3, "tag", Proto::kString}};
inline constexpr Field kListResponse[] = {
    {1, "processes", Proto::kMessage, kMany, "process.ProcessInfo"}};
inline constexpr Field kStartRequest[] = {
    {1, "process", Proto::kMessage, kOne, "process.ProcessConfig"},
    {2, "pty", Proto::kMessage, kOne, "process.PTY"},
    {3, "tag", Proto::kString},
    {4, "stdin", Proto::kBool}};
inline constexpr Field kUpdateRequest[] = {
    {1, "process", Proto::kMessage, kOne, "process.ProcessSelector"},
    {2, "pty", Proto::kMessage, kOne, "process.PTY"}};
inline constexpr Field kProcessEvent[] = {
    {1, "start", Proto::kMessage, kOne, "process.ProcessEvent.StartEvent"},
    {2, "data", Proto::kMessage, kOne, "process.ProcessEvent.DataEvent"},
    {3, "end", Proto::kMessage, kOne, "process.ProcessEvent.EndEvent"},
    {4, "keepalive", Proto::kMessage, kOne, "process.ProcessEvent.KeepAlive"}};
inline constexpr Field kStartEvent[] = {{1, "pid", Proto::kUint32}};
inline constexpr Field kDataEvent[] = {
    {1, "stdout", Proto::kBytes}, {2, "stderr", Proto::kBytes}, {3, "pty", Proto::kBytes}};
inline constexpr Field kEndEvent[] = {{1, "exitCode", Proto::kSint32},
                                      {2, "exited", Proto::kBool},
                                      {3, "status", Proto::kString},
                                      {4, "error", Proto::kString}};
inline constexpr Field kEventResponse[] = {
    {1, "event", Proto::kMessage, kOne, "process.ProcessEvent"}};
inline constexpr Field kSendInputRequest[] = {
    {1, "process", Proto::kMessage, kOne, "process.ProcessSelector"},
    {2, "input", Proto::kMessage, kOne, "process.ProcessInput"}};
inline constexpr Field kProcessInput[] = {{1, "stdin", Proto::kBytes}, {2, "pty", Proto::kBytes}};
inline constexpr Field kStreamInputRequest[] = {
    {1, "start", Proto::kMessage, kOne, "process.StreamInputRequest.StartEvent"},
    {2, "data", Proto::kMessage, kOne, "process.StreamInputRequest.DataEvent"},
    {3, "keepalive", Proto::kMessage, kOne, "process.StreamInputRequest.KeepAlive"}};
inline constexpr Field kStreamInputStart[] = {
    {1, "process", Proto::kMessage, kOne, "process.ProcessSelector"}};
inline constexpr Field kStreamInputData[] = {
    {2, "input", Proto::kMessage, kOne, "process.ProcessInput"}};
inline constexpr Field kSendSignalRequest[] = {
    {1, "process", Proto::kMessage, kOne, "process.ProcessSelector"},
    {2, "signal", Proto::kEnum, kOne, "process.Signal"}};
inline constexpr Field kSelectorRequest[] = {
    {1, "process", Proto::kMessage, kOne, "process.ProcessSelector"}};
inline constexpr Field kProcessSelector[] = {{1, "pid", Proto::kUint32},
                                             {2, "tag", Proto::kString}};
inline constexpr std::string_view kSignals[] = {
    "SIGNAL_UNSPECIFIED", "", "", "", "", "", "", "", "", "SIGNAL_SIGKILL", "", "", "", "", "",
    "SIGNAL_SIGTERM"};

// filesystem.proto
inline constexpr Field kMoveRequest[] = {{1, "source", Proto::kString},
                                         {2, "destination", Proto::kString}};
inline constexpr Field kEntryResponse[] = {
    {1, "entry", Proto::kMessage, kOne, "filesystem.EntryInfo"}};
inline constexpr Field kPathRequest[] = {{1, "path", Proto::kString}};
inline constexpr Field kEntryInfo[] = {{1, "name", Proto::kString},
                                       {2, "type", Proto::kEnum, kOne, "filesystem.FileType"},
                                       {3, "path", Proto::kString},
                                       {4, "size", Proto::kInt64},
                                       {5, "mode", Proto::kUint32},
                                       {6, "permissions", Proto::kString},
                                       {7, "owner", Proto::kString},
                                       {8, "group", Proto::kString},
                                       {9, "modifiedTime", Proto::kTimestamp},
                                       {10, "symlinkTarget", Proto::kString},
                                       {11, "metadata", Proto::kString, kByName},
                                       {12, "isSymlink", Proto::kBool}};
inline constexpr Field kListDirRequest[] = {{1, "path", Proto::kString},
                                            {2, "depth", Proto::kUint32}};
inline constexpr Field kListDirResponse[] = {
    {1, "entries", Proto::kMessage, kMany, "filesystem.EntryInfo"}};
inline constexpr Field kWatchRequest[] = {{1, "path", Proto::kString},
                                          {2, "recursive", Proto::kBool},
                                          {3, "includeEntry", Proto::kBool},
                                          {4, "allowNetworkMounts", Proto::kBool}};
inline constexpr Field kFilesystemEvent[] = {
    {1, "name", Proto::kString},
    {2, "type", Proto::kEnum, kOne, "filesystem.EventType"},
    {3, "entry", Proto::kMessage, kOne, "filesystem.EntryInfo"}};
inline constexpr Field kWatchDirResponse[] = {
    {1, "start", Proto::kMessage, kOne, "filesystem.WatchDirResponse.StartEvent"},
    {2, "filesystem", Proto::kMessage, kOne, "filesystem.FilesystemEvent"},
    {3, "keepalive", Proto::kMessage, kOne, "filesystem.WatchDirResponse.KeepAlive"}};
inline constexpr Field kWatcherId[] = {{1, "watcherId", Proto::kString}};
inline constexpr Field kWatcherEvents[] = {
    {1, "events", Proto::kMessage, kMany, "filesystem.FilesystemEvent"}};
inline constexpr std::string_view kFileTypes[] = {"FILE_TYPE_UNSPECIFIED", "FILE_TYPE_FILE",
                                                  "FILE_TYPE_DIRECTORY", "FILE_TYPE_SYMLINK"};
inline constexpr std::string_view kEventTypes[] = {"EVENT_TYPE_UNSPECIFIED", "EVENT_TYPE_CREATE",
                                                   "EVENT_TYPE_WRITE",       "EVENT_TYPE_REMOVE",
                                                   "EVENT_TYPE_RENAME",      "EVENT_TYPE_CHMOD"};

}  // namespace viv::agent::tables
