#include "agent/envd_schema.h"

#include "agent/envd_schema_tables.h"

namespace viv::agent {
namespace tables {

using connect::EnumType;
using connect::MessageType;
using connect::Method;

constexpr MessageType kEnvdMessages[] = {
    // process.proto
    {"process.PTY", kPty},
    {"process.PTY.Size", kPtySize},
    {"process.ProcessConfig", kProcessConfig},
    {"process.ListRequest", {}},
    {"process.ProcessInfo", kProcessInfo},
    {"process.ListResponse", kListResponse},
    {"process.StartRequest", kStartRequest},
    {"process.UpdateRequest", kUpdateRequest},
    {"process.UpdateResponse", {}},
    {"process.ProcessEvent", kProcessEvent},
    {"process.ProcessEvent.StartEvent", kStartEvent},
    {"process.ProcessEvent.DataEvent", kDataEvent},
    {"process.ProcessEvent.EndEvent", kEndEvent},
    {"process.ProcessEvent.KeepAlive", {}},
    {"process.StartResponse", kEventResponse},
    {"process.ConnectResponse", kEventResponse},
    {"process.SendInputRequest", kSendInputRequest},
    {"process.SendInputResponse", {}},
    {"process.ProcessInput", kProcessInput},
    {"process.StreamInputRequest", kStreamInputRequest},
    {"process.StreamInputRequest.StartEvent", kStreamInputStart},
    {"process.StreamInputRequest.DataEvent", kStreamInputData},
    {"process.StreamInputRequest.KeepAlive", {}},
    {"process.StreamInputResponse", {}},
    {"process.SendSignalRequest", kSendSignalRequest},
    {"process.SendSignalResponse", {}},
    {"process.CloseStdinRequest", kSelectorRequest},
    {"process.CloseStdinResponse", {}},
    {"process.ConnectRequest", kSelectorRequest},
    {"process.ProcessSelector", kProcessSelector},
    // filesystem.proto
    {"filesystem.MoveRequest", kMoveRequest},
    {"filesystem.MoveResponse", kEntryResponse},
    {"filesystem.MakeDirRequest", kPathRequest},
    {"filesystem.MakeDirResponse", kEntryResponse},
    {"filesystem.RemoveRequest", kPathRequest},
    {"filesystem.RemoveResponse", {}},
    {"filesystem.StatRequest", kPathRequest},
    {"filesystem.StatResponse", kEntryResponse},
    {"filesystem.EntryInfo", kEntryInfo},
    {"filesystem.ListDirRequest", kListDirRequest},
    {"filesystem.ListDirResponse", kListDirResponse},
    {"filesystem.WatchDirRequest", kWatchRequest},
    {"filesystem.FilesystemEvent", kFilesystemEvent},
    {"filesystem.WatchDirResponse", kWatchDirResponse},
    {"filesystem.WatchDirResponse.StartEvent", {}},
    {"filesystem.WatchDirResponse.KeepAlive", {}},
    {"filesystem.CreateWatcherRequest", kWatchRequest},
    {"filesystem.CreateWatcherResponse", kWatcherId},
    {"filesystem.GetWatcherEventsRequest", kWatcherId},
    {"filesystem.GetWatcherEventsResponse", kWatcherEvents},
    {"filesystem.RemoveWatcherRequest", kWatcherId},
    {"filesystem.RemoveWatcherResponse", {}},
};

constexpr EnumType kEnvdEnums[] = {
    {"process.Signal", kSignals},
    {"filesystem.FileType", kFileTypes},
    {"filesystem.EventType", kEventTypes},
};

constexpr std::string_view kProcessService = "process.Process";
constexpr std::string_view kFilesystemService = "filesystem.Filesystem";
constexpr Method kEnvdMethods[] = {
    {kProcessService, "List", "process.ListRequest", "process.ListResponse"},
    {kProcessService, "Connect", "process.ConnectRequest", "process.ConnectResponse"},
    {kProcessService, "Start", "process.StartRequest", "process.StartResponse"},
    {kProcessService, "Update", "process.UpdateRequest", "process.UpdateResponse"},
    {kProcessService, "StreamInput", "process.StreamInputRequest", "process.StreamInputResponse"},
    {kProcessService, "SendInput", "process.SendInputRequest", "process.SendInputResponse"},
    {kProcessService, "SendSignal", "process.SendSignalRequest", "process.SendSignalResponse"},
    {kProcessService, "CloseStdin", "process.CloseStdinRequest", "process.CloseStdinResponse"},
    {kFilesystemService, "Stat", "filesystem.StatRequest", "filesystem.StatResponse"},
    {kFilesystemService, "MakeDir", "filesystem.MakeDirRequest", "filesystem.MakeDirResponse"},
    {kFilesystemService, "Move", "filesystem.MoveRequest", "filesystem.MoveResponse"},
    {kFilesystemService, "ListDir", "filesystem.ListDirRequest", "filesystem.ListDirResponse"},
    {kFilesystemService, "Remove", "filesystem.RemoveRequest", "filesystem.RemoveResponse"},
    {kFilesystemService, "WatchDir", "filesystem.WatchDirRequest", "filesystem.WatchDirResponse"},
    {kFilesystemService, "CreateWatcher", "filesystem.CreateWatcherRequest",
     "filesystem.CreateWatcherResponse"},
    {kFilesystemService, "GetWatcherEvents", "filesystem.GetWatcherEventsRequest",
     "filesystem.GetWatcherEventsResponse"},
    {kFilesystemService, "RemoveWatcher", "filesystem.RemoveWatcherRequest",
     "filesystem.RemoveWatcherResponse"},
};

constexpr connect::Schema kEnvdSchema{kEnvdMessages, kEnvdEnums, kEnvdMethods};

}  // namespace tables

const connect::Schema& EnvdSchema() {
  return tables::kEnvdSchema;
}

}  // namespace viv::agent
