// What the attacks have in common: programs that try something inside a box and tell how it ended.

/** Runs a Python program in the box as root of the box and gives what it printed as JSON. */
export async function python(box, program, { user = 'root', timeoutMs = 60_000 } = {}) {
  await box.files.write('/tmp/attack.py', program, { user: 'root' });
  const { stdout } = await box.commands.run('python3 /tmp/attack.py', { user, timeoutMs });
  return JSON.parse(stdout);
}

/** How a shell command ended: never an error, whatever its code. */
export async function attempt(box, command, options = {}) {
  try {
    return await box.commands.run(command, { user: 'root', timeoutMs: 60_000, ...options });
  } catch (error) {
    if (error.exitCode === undefined) throw error;
    return { exitCode: error.exitCode, stdout: error.stdout, stderr: error.stderr };
  }
}

/** Calls a system call by number and gives the name of its errno, or its result. */
export const syscallProgram = (calls) => `
import ctypes, errno, json, os
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *args):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_void_p(a) if isinstance(a, int) else ctypes.c_char_p(a) for a in args])
    return errno.errorcode.get(ctypes.get_errno(), str(ctypes.get_errno())) if result == -1 else result
print(json.dumps({name: call(number, *args) for name, number, args in ${calls}}))
`;
