/** What kind of program a file holds, read from its first bytes. Knows nothing of VS Code. */

import { open } from 'node:fs/promises';

/** The system and the processor that a program was built for, in Node's words (`linux`, `darwin`, `win32`; `x64`, `arm64`, ...). */
export interface BinaryKind {
  platform: 'linux' | 'darwin' | 'win32';
  /** `undefined` for a processor this extension has no name for; `any` for a universal macOS program. */
  arch: string | undefined;
}

const ELF_MACHINES: Readonly<Record<number, string>> = {
  0x03: 'ia32',
  0x28: 'arm',
  0x3e: 'x64',
  0xb7: 'arm64',
  0xf3: 'riscv64',
};
const PE_MACHINES: Readonly<Record<number, string>> = { 0x014c: 'ia32', 0x8664: 'x64', 0xaa64: 'arm64' };
const MACHO_CPUS: Readonly<Record<number, string>> = { 0x01000007: 'x64', 0x0100000c: 'arm64' };

/** Tells what a program was built for; `undefined` when the bytes are not a native program (a script, say). */
export function kindOfBytes(bytes: Buffer): BinaryKind | undefined {
  if (bytes.length < 20) return undefined;
  if (bytes.readUInt32BE(0) === 0x7f454c46) {
    // Byte 5 of the header is the byte order: 1 is little-endian.
    const machine = bytes[5] === 2 ? bytes.readUInt16BE(18) : bytes.readUInt16LE(18);
    return { platform: 'linux', arch: ELF_MACHINES[machine] };
  }
  if (bytes.readUInt32LE(0) === 0xfeedfacf) return { platform: 'darwin', arch: MACHO_CPUS[bytes.readUInt32LE(4)] };
  if (bytes.readUInt32BE(0) === 0xcafebabe) return { platform: 'darwin', arch: 'any' };
  if (bytes.readUInt16BE(0) === 0x4d5a) {
    const header = bytes.length >= 64 ? bytes.readUInt32LE(60) : 0;
    const readable = header > 0 && header + 6 <= bytes.length && bytes.readUInt32BE(header) === 0x50450000;
    return { platform: 'win32', arch: readable ? PE_MACHINES[bytes.readUInt16LE(header + 4)] : undefined };
  }
  return undefined;
}

/** Reads {@link kindOfBytes} from a file; `undefined` too when the file cannot be read. */
export async function kindOfFile(path: string): Promise<BinaryKind | undefined> {
  try {
    const file = await open(path, 'r');
    try {
      const buffer = Buffer.alloc(4096);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
      return kindOfBytes(buffer.subarray(0, bytesRead));
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

const PLATFORM_NAMES: Readonly<Record<string, string>> = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' };

/** A platform in words, for messages: `Linux x64`, `macOS arm64`. */
export function platformName(platform: string, arch: string | undefined): string {
  const system = PLATFORM_NAMES[platform] ?? platform;
  return arch === undefined || arch === 'any' ? system : `${system} ${arch}`;
}

/** Whether a program built for `kind` can run on this platform. Emulated processors count as a fit: running it decides. */
export function fits(kind: BinaryKind, platform: string, arch: string): boolean {
  if (kind.platform !== platform) return false;
  if (kind.arch === undefined || kind.arch === 'any' || kind.arch === arch) return true;
  const emulated = (platform === 'darwin' || platform === 'win32') && arch === 'arm64' && kind.arch === 'x64';
  return emulated || (platform === 'win32' && kind.arch === 'ia32');
}
