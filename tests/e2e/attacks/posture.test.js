// The whole posture of a box beside a file: whatever loosens it must change that file too. The file tells of a kernel that
// has everything we cover; what this one lacks needs no cover.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { attempt } from '../support/attack.js';
import { withBoxes } from '../support/e2b.js';

const host = withBoxes();
const golden = join(dirname(fileURLToPath(import.meta.url)), 'posture.golden');

const script = `
echo "# of a command as root"
grep -E '^(Cap|NoNewPrivs|Seccomp:|Seccomp_filters|Uid|Gid|Groups)' /proc/self/status
echo "# of the agent"
grep -E '^(Cap|NoNewPrivs|Seccomp:|Seccomp_filters|Uid|Gid|Groups)' /proc/1/status
echo "# ids"
awk '{print $1, "RANGE", $3}' /proc/self/uid_map /proc/self/gid_map
echo "# mounts"
awk '{print $1, $2, $3, $4}' /proc/mounts | sed -E 's/(uid|gid)=[0-9]+/\\1=ID/g; s/size=[0-9]+k/size=SIZE/g; s/lowerdir=[^,]*/lowerdir=LAYERS/'
echo "# namespaces"
ls /proc/self/ns | tr '\\n' ' '; echo
echo "# devices"
ls -l /dev | awk '{print $1, $NF}' | tail -n +2
echo "# limits"
ulimit -c; ulimit -Hc
echo "# descriptors of a command"
ls /proc/self/fd | tr '\\n' ' '; echo
echo "# interfaces"
ls /proc/sys/net/ipv4/conf | tr '\\n' ' '; echo
echo "# groups"
sed -E 's/^[^:]*:[^:]*://' /proc/self/cgroup | sort -u
`;

// Kernels have different words for the same, and show some of their defaults.
const inOneWord = (text) => text.replaceAll(/,(inode64|uuid=on)\b/g, '').replaceAll(/,volatile\b/g, ',fsync=volatile');
const isHere = (line) => existsSync(/^none (\/proc\/\S+)/.exec(line)?.[1] ?? '/');

test('the posture of a box is the one we agreed on', async (t) => {
  const box = await host.create(t);
  const { stdout } = await attempt(box, script);
  const seen = inOneWord(stdout);
  if (process.env.VIV_WRITE_GOLDEN) writeFileSync(golden, seen);
  assert.equal(seen, readFileSync(golden, 'utf8').split('\n').filter(isHere).join('\n'));
});
