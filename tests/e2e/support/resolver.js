// A DNS server of the test's own, for names that lead to this machine's real listeners.
import dgram from 'node:dgram';
import { networkInterfaces } from 'node:os';

/** An address of this machine that a sandbox does not take for its own, as it does with loopback. */
export const outside = Object.values(networkInterfaces()).flat().find((one) => one.family === 'IPv4' && !one.internal)?.address;

/**
 * Answers questions for IPv4 addresses: `addressOf(name)` is a text, or undefined when there is no such name. `asked`
 * has every name that was asked for.
 */
export async function startResolver(addressOf) {
  const socket = dgram.createSocket('udp4');
  const asked = [];
  socket.on('message', (message, from) => {
    const labels = [];
    let at = 12;
    for (; message[at]; at += message[at] + 1) labels.push(message.subarray(at + 1, at + 1 + message[at]).toString());
    const name = labels.join('.').toLowerCase();
    asked.push(name);
    const known = addressOf(name);
    const address = message.readUInt16BE(at + 1) === 1 ? known : undefined;
    const head = Buffer.from([message[0], message[1], 0x81, known ? 0x80 : 0x83, 0, 1, 0, address ? 1 : 0, 0, 0, 0, 0]);
    const record = address ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)]) : Buffer.alloc(0);
    socket.send(Buffer.concat([head, message.subarray(12, at + 5), record]), from.port, from.address);
  });
  await new Promise((done) => socket.bind(0, '127.0.0.1', done));
  return { asked, address: `127.0.0.1:${socket.address().port}`, stop: () => socket.close() };
}
