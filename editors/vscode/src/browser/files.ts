/** Reads the PTX files of the workspace for a server that has no files, and tells it when they change. */

import * as vscode from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient';
import { SECTION } from '../controller';
import type { DidReadFiles, ReadFile } from '../protocol';

/** So many files are read at most, and so many bytes of each and of all: the memory of a page is small. */
const MAX_FILES = 500;
const MAX_FILE_BYTES = 4 << 20;
const MAX_BYTES = 32 << 20;
/** Folders that are looked into where the workspace cannot be searched. */
const MAX_FOLDERS = 500;
/** What the program never reads either. */
const NEVER = ['.git', 'node_modules'];
/** How long a search may take. */
const SEARCH_MS = 2000;
/** Files that are read at the same time: each may be a request over a network. */
const AT_ONCE = 8;

export class WorkspaceFiles {
  private readonly disposables: vscode.Disposable[] = [];
  private readonly sizes = new Map<string, number>();
  private readonly ended = new vscode.CancellationTokenSource();

  constructor(
    private readonly client: BaseLanguageClient,
    private readonly log: vscode.LogOutputChannel,
  ) {
    const settings = vscode.workspace.getConfiguration(SECTION);
    if (!settings.get<boolean>('workspace.index', true)) return;
    const exclude = settings.get<string[]>('workspace.exclude', []);
    const watcher = vscode.workspace.createFileSystemWatcher('**/*.ptx');
    this.disposables.push(
      watcher,
      watcher.onDidCreate((uri) => this.tell([uri])),
      watcher.onDidChange((uri) => this.tell([uri])),
      watcher.onDidDelete((uri) => this.forget(uri)),
      vscode.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
        for (const uri of [...this.sizes.keys()].map((it) => vscode.Uri.parse(it, true))) {
          if (removed.some((it) => isBelow(uri, it.uri))) this.forget(uri);
        }
        void this.readAll(added, exclude);
      }),
    );
    void this.readAll(vscode.workspace.workspaceFolders ?? [], exclude);
  }

  dispose(): void {
    this.ended.cancel();
    for (const it of this.disposables) it.dispose();
  }

  private async readAll(folders: readonly vscode.WorkspaceFolder[], exclude: string[]): Promise<void> {
    for (const folder of folders) {
      try {
        const uris = await this.find(folder, exclude);
        if (uris.length >= MAX_FILES) this.log.warn(`${folder.name}: no more than ${MAX_FILES} PTX files are read.`);
        await this.tell(uris);
      } catch (error) {
        this.log.warn(`The folder ${folder.name} cannot be read: ${text(error)}`);
      }
    }
  }

  private async find(folder: vscode.WorkspaceFolder, exclude: string[]): Promise<vscode.Uri[]> {
    const not = `{${[...NEVER.map((it) => `**/${it}/**`), ...exclude].join(',')}}`;
    const pattern = new vscode.RelativePattern(folder, '**/*.ptx');
    // Where no search exists, the editor waits until one does.
    const late = new Promise<undefined>((done) => setTimeout(() => done(undefined), SEARCH_MS));
    const search = vscode.workspace.findFiles(pattern, not, MAX_FILES, this.ended.token);
    const found = await Promise.race([search, late]);
    if (found !== undefined && found.length > 0) return found;
    if (exclude.length === 0) return this.walk(folder.uri);
    this.log.info(
      `${folder.name} cannot be searched without what is excluded: its files are read when they are opened.`,
    );
    return [];
  }

  private async walk(root: vscode.Uri): Promise<vscode.Uri[]> {
    const found: vscode.Uri[] = [];
    const folders = [root];
    // It grows meanwhile.
    for (const folder of folders) {
      for (const [name, type] of await vscode.workspace.fs.readDirectory(folder)) {
        const uri = vscode.Uri.joinPath(folder, name);
        // Not through links, which may lead back.
        if (type === vscode.FileType.Directory) {
          if (folders.length < MAX_FOLDERS && !NEVER.includes(name)) folders.push(uri);
        }
        if (type === vscode.FileType.File && name.endsWith('.ptx')) found.push(uri);
      }
      if (this.ended.token.isCancellationRequested) return [];
      if (found.length >= MAX_FILES) break;
    }
    return found.slice(0, MAX_FILES);
  }

  /** Reads files and tells the server their texts. */
  private async tell(uris: readonly vscode.Uri[]): Promise<void> {
    for (let from = 0; from < uris.length; from += AT_ONCE) {
      const files = await Promise.all(uris.slice(from, from + AT_ONCE).map((uri) => this.read(uri)));
      if (this.ended.token.isCancellationRequested) return;
      await this.send({ files: files.filter((it) => it !== undefined) });
    }
  }

  private async read(uri: vscode.Uri): Promise<ReadFile | undefined> {
    const key = uri.toString();
    try {
      const bytes = await vscode.workspace.fs.readFile(uri);
      this.sizes.delete(key);
      const all = [...this.sizes.values()].reduce((sum, size) => sum + size, bytes.length);
      if (bytes.length > MAX_FILE_BYTES || all > MAX_BYTES) {
        this.log.warn(`${vscode.workspace.asRelativePath(uri)} is too long to be read before it is opened.`);
        return undefined;
      }
      this.sizes.set(key, bytes.length);
      return { uri: this.client.code2ProtocolConverter.asUri(uri), text: new TextDecoder().decode(bytes) };
    } catch (error) {
      this.log.warn(`${vscode.workspace.asRelativePath(uri)} cannot be read: ${text(error)}`);
      return undefined;
    }
  }

  private forget(uri: vscode.Uri): void {
    this.sizes.delete(uri.toString());
    void this.send({ files: [{ uri: this.client.code2ProtocolConverter.asUri(uri), text: null }] });
  }

  private async send(params: DidReadFiles): Promise<void> {
    try {
      if (params.files.length > 0) await this.client.sendNotification('ptx/didReadFiles', params);
    } catch (error) {
      this.log.warn(`The server was not told of files: ${text(error)}`);
    }
  }
}

function isBelow(uri: vscode.Uri, folder: vscode.Uri): boolean {
  return uri.toString().startsWith(`${folder.toString().replace(/\/$/, '')}/`);
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
