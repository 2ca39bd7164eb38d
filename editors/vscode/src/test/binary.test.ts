import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fits, kindOfBytes, kindOfFile, platformName } from '../node/binary';

function header(fill: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(256);
  fill(bytes);
  return bytes;
}

const elf = (machine: number) =>
  header((b) => {
    b.writeUInt32BE(0x7f454c46, 0);
    b[5] = 1;
    b.writeUInt16LE(machine, 18);
  });

void test('the header tells the system and the processor', () => {
  assert.deepEqual(kindOfBytes(elf(0x3e)), { platform: 'linux', arch: 'x64' });
  assert.deepEqual(kindOfBytes(elf(0xb7)), { platform: 'linux', arch: 'arm64' });
  assert.deepEqual(kindOfBytes(elf(0x1234)), { platform: 'linux', arch: undefined });
  const bigEndian = header((b) => {
    b.writeUInt32BE(0x7f454c46, 0);
    b[5] = 2;
    b.writeUInt16BE(0x28, 18);
  });
  assert.deepEqual(kindOfBytes(bigEndian), { platform: 'linux', arch: 'arm' });
  const mac = header((b) => {
    b.writeUInt32LE(0xfeedfacf, 0);
    b.writeUInt32LE(0x0100000c, 4);
  });
  assert.deepEqual(kindOfBytes(mac), { platform: 'darwin', arch: 'arm64' });
  assert.deepEqual(kindOfBytes(header((b) => b.writeUInt32BE(0xcafebabe, 0))), { platform: 'darwin', arch: 'any' });
  const windows = header((b) => {
    b.write('MZ', 0, 'latin1');
    b.writeUInt32LE(128, 60);
    b.write('PE\0\0', 128, 'latin1');
    b.writeUInt16LE(0xaa64, 132);
  });
  assert.deepEqual(kindOfBytes(windows), { platform: 'win32', arch: 'arm64' });
});

void test('what is not a native program has no kind', async () => {
  assert.equal(kindOfBytes(Buffer.from('#!/bin/sh\nexec ptx-analyzer "$@"\n')), undefined);
  assert.equal(kindOfBytes(Buffer.alloc(0)), undefined);
  assert.equal(await kindOfFile('/no/such/file'), undefined);
});

void test('a Windows header that points outside the bytes does no harm', () => {
  const bytes = header((b) => {
    b.write('MZ', 0, 'latin1');
    b.writeUInt32LE(0xffff_fff0, 60);
  });
  assert.deepEqual(kindOfBytes(bytes), { platform: 'win32', arch: undefined });
});

void test('the program that runs this test fits this machine', async () => {
  const kind = await kindOfFile(process.execPath);
  assert.ok(kind !== undefined && fits(kind, process.platform, process.arch));
});

void test('another system or processor does not fit, an emulated one does', () => {
  assert.ok(!fits({ platform: 'darwin', arch: 'x64' }, 'linux', 'x64'));
  assert.ok(!fits({ platform: 'linux', arch: 'arm64' }, 'linux', 'x64'));
  assert.ok(!fits({ platform: 'darwin', arch: 'arm64' }, 'darwin', 'x64'));
  assert.ok(fits({ platform: 'darwin', arch: 'x64' }, 'darwin', 'arm64'));
  assert.ok(fits({ platform: 'darwin', arch: 'any' }, 'darwin', 'arm64'));
  assert.ok(fits({ platform: 'linux', arch: undefined }, 'linux', 'x64'));
});

void test('platforms have names', () => {
  assert.equal(platformName('darwin', 'arm64'), 'macOS arm64');
  assert.equal(platformName('win32', 'any'), 'Windows');
  assert.equal(platformName('freebsd', 'x64'), 'freebsd x64');
});
