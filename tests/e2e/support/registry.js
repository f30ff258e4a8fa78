// A registry of container images on this machine, over plain HTTP, with one image made of this machine's programs.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { arch, networkInterfaces, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** An address of this machine that is not loopback: what leaves a network namespace does not reach that. */
export const address = Object.values(networkInterfaces()).flat().find((one) => one.family === 'IPv4' && !one.internal)?.address;
export const hasSkopeo = ['/usr/bin/skopeo', '/usr/local/bin/skopeo'].some((path) => existsSync(path));

const digestOf = (bytes) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** A tar file of a small system: a shell, a few programs and the libraries they need. */
function makeLayer(files) {
  const root = mkdtempSync(join(tmpdir(), 'viv-image-'));
  try {
    const put = (path) => {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      cpSync(realpathSync(path), join(root, path));
    };
    for (const name of ['bash', 'cat', 'env', 'id', 'ls', 'pwd', 'sleep']) {
      const path = `/usr/bin/${name}`;
      put(path);
      for (const [library] of execFileSync('ldd', [path], { encoding: 'utf8' }).matchAll(/\/\S+/g)) put(library);
    }
    for (const folder of ['etc', 'root', 'tmp', 'srv', 'bin']) mkdirSync(join(root, folder), { recursive: true });
    cpSync(join(root, 'usr/bin/bash'), join(root, 'bin/bash'));
    cpSync(join(root, 'usr/bin/bash'), join(root, 'bin/sh'));
    for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
    return execFileSync('tar', ['--owner=0', '--group=0', '--numeric-owner', '-C', root, '-c', '.'], { maxBuffer: 256 << 20 });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** The blobs of an image by digest, and its manifest. */
export function makeImage({ files = {}, config = {} } = {}) {
  const blobs = new Map();
  const keep = (mediaType, bytes) => {
    const digest = digestOf(bytes);
    blobs.set(digest, bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const layer = makeLayer(files);
  const architecture = { x64: 'amd64', arm64: 'arm64' }[arch()];
  const description = { architecture, os: 'linux', config, rootfs: { type: 'layers', diff_ids: [digestOf(layer)] } };
  const manifest = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: keep('application/vnd.oci.image.config.v1+json', Buffer.from(JSON.stringify(description))),
    layers: [keep('application/vnd.oci.image.layer.v1.tar+gzip', gzipSync(layer, { level: 1 }))],
  };
  return { blobs, manifest: Buffer.from(JSON.stringify(manifest)) };
}

/** Serves images by repository, each under any tag; with `login` only to who knows it. */
export class Registry {
  static async start(images, login) {
    const registry = new Registry();
    registry.seen = [];
    registry.server = createServer((request, response) => registry.answer(request, response, images, login));
    await new Promise((done) => registry.server.listen(0, '0.0.0.0', done));
    registry.host = `${address}:${registry.server.address().port}`;
    return registry;
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((done) => this.server.close(done));
  }

  answer(request, response, images, login) {
    this.seen.push(`${request.method} ${request.url}`);
    response.setHeader('Docker-Distribution-Api-Version', 'registry/2.0');
    const given = Buffer.from((request.headers.authorization ?? '').replace('Basic ', ''), 'base64').toString();
    if (login && given !== login) {
      response.setHeader('WWW-Authenticate', 'Basic realm="here"');
      response.writeHead(401, { 'Content-Type': 'application/json' });
      return response.end('{"errors":[{"code":"UNAUTHORIZED","message":"authentication required"}]}');
    }
    if (request.url === '/v2/') return response.writeHead(200).end('{}');
    const [, repository, kind, reference] = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(request.url) ?? [];
    const image = images[repository];
    const bytes = kind === 'blobs' ? image?.blobs.get(reference) : image?.manifest;
    if (!bytes) {
      response.writeHead(404, { 'Content-Type': 'application/json' });
      return response.end('{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}');
    }
    const type = kind === 'blobs' ? 'application/octet-stream' : 'application/vnd.oci.image.manifest.v1+json';
    response.writeHead(200, { 'Content-Type': type, 'Content-Length': bytes.length, 'Docker-Content-Digest': digestOf(bytes) });
    return response.end(request.method === 'HEAD' ? undefined : bytes);
  }
}
