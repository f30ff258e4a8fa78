// Kernel interfaces that boxes have no use for are refused by the filter, also to root of the box.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { python, syscallProgram } from '../support/attack.js';
import { withBoxes } from '../support/e2b.js';

const host = withBoxes();

const NEWUSER = 0x10000000, NEWNS = 0x20000, NEWNET = 0x40000000, SIGCHLD = 17;
const calls = [
  // [name, number, arguments, the errno that the policy gives]
  ['unshare(user)', 272, [NEWUSER], 'EPERM'],
  ['unshare(mount)', 272, [NEWNS], 'EPERM'],
  ['setns', 308, [0, 0], 'EPERM'],
  ['clone(user)', 56, [NEWUSER | SIGCHLD, 0, 0, 0, 0], 'EPERM'],
  ['clone(net)', 56, [NEWNET | SIGCHLD, 0, 0, 0, 0], 'EPERM'],
  ['clone3', 435, [0, 0], 'ENOSYS'],
  ['mount', 165, ["b'none'", "b'/mnt'", "b'tmpfs'", 0, 0], 'EPERM'],
  ['umount2', 166, ["b'/proc'", 0], 'EPERM'],
  ['pivot_root', 155, ["b'/'", "b'/'"], 'EPERM'],
  ['open_tree', 428, [0, "b'/'", 0], 'EPERM'],
  ['fsopen', 430, ["b'tmpfs'", 0], 'EPERM'],
  ['mount_setattr', 442, [0, "b'/'", 0, 0, 0], 'EPERM'],
  ['open_by_handle_at', 304, [0, 0, 0], 'EPERM'],
  ['mknod(null)', 133, ["b'/tmp/null'", 0o20666, 0x103], 'EPERM'],
  ['mknod(disk)', 133, ["b'/tmp/disk'", 0o60666, 0xfe00], 'EPERM'],
  ['bpf', 321, [0, 0, 0], 'EPERM'],
  ['perf_event_open', 298, [0, 0, 0, 0, 0], 'EPERM'],
  ['userfaultfd', 323, [0], 'EPERM'],
  ['io_uring_setup', 425, [1, 0], 'ENOSYS'],
  ['keyctl', 250, [0, 0, 0, 0, 0], 'ENOSYS'],
  ['add_key', 248, ["b'user'", "b'x'", "b'y'", 1, 0], 'ENOSYS'],
  ['init_module', 175, [0, 0, "b''"], 'EPERM'],
  ['finit_module', 313, [0, "b''", 0], 'EPERM'],
  ['kexec_load', 246, [0, 0, 0, 0], 'EPERM'],
  ['reboot', 169, [0xfee1dead, 672274793, 0x1234567, 0], 'EPERM'],
  ['syslog', 103, [3, 0, 0], 'EPERM'],
  ['settimeofday', 164, [0, 0], 'EPERM'],
  ['swapon', 167, ["b'/tmp/x'", 0], 'EPERM'],
  ['quotactl', 179, [0, 0, 0, 0], 'EPERM'],
  ['fanotify_init', 300, [0, 0], 'EPERM'],
  ['iopl', 172, [3], 'EPERM'],
  ['socket(packet)', 41, [17, 3, 0], 'EAFNOSUPPORT'],
  ['socket(vsock)', 41, [40, 1, 0], 'EAFNOSUPPORT'],
  ['socket(alg)', 41, [38, 5, 0], 'EAFNOSUPPORT'],
  ['socket(netfilter)', 41, [16, 3, 12], 'EPROTONOSUPPORT'],
  ['socket(raw)', 41, [2, 3, 1], 'EPERM'],
  ['io_setup', 206, [1, 0], 'ENOSYS'],
  ['socket(sctp)', 41, [2, 1, 132], 'EPROTONOSUPPORT'],
  ['socket(sctp by its kind)', 41, [2, 5, 0], 'ESOCKTNOSUPPORT'],
  ['socket(dccp by its kind)', 41, [10, 6, 0], 'ESOCKTNOSUPPORT'],
  ['socket(mptcp)', 41, [10, 1, 262], 'EPROTONOSUPPORT'],
  ['socket(udplite)', 41, [2, 2, 136], 'EPROTONOSUPPORT'],
  ['socket(l2tp)', 41, [2, 2, 115], 'EPROTONOSUPPORT'],
  ['socket(ipv6 in ipv4)', 41, [2, 3, 41], 'EPROTONOSUPPORT'],
  ['an unknown call', 500, [], 'ENOSYS'],
];

test('each forbidden call fails for the reason the policy gives', async (t) => {
  const box = await host.create(t);
  const list = calls.map(([name, number, args]) => `('${name}', ${number}, (${args.join(', ')}${args.length ? ',' : ''}))`);
  const answers = await python(box, syscallProgram(`[${list.join(', ')}]`));
  assert.deepEqual(answers, Object.fromEntries(calls.map(([name, , , errno]) => [name, errno])));
});

test('what programs need is allowed', async (t) => {
  const box = await host.create(t);
  const { stdout } = await box.commands.run(
    'set -e; cd /tmp; mkfifo f; ln -s f l; python3 -c "import socket; socket.socket(socket.AF_UNIX); socket.socket(socket.AF_INET6)"; ' +
      'python3 -c "import threading; t = threading.Thread(target=print, args=(1,)); t.start(); t.join()"; timeout 5 sleep 0; echo fine');
  assert.match(stdout, /fine/);
});
