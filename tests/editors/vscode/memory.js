// An extension for the tests: a folder whose files are in memory, as those of a remote repository are.
const vscode = require('vscode');

exports.activate = async (context) => {
    const changed = new vscode.EventEmitter();
    const files = new Map();
    const text = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(context.extensionUri, 'files.json'));
    for (const [name, content] of Object.entries(JSON.parse(new TextDecoder().decode(text)))) {
        files.set(`/kernels/${name}`, { content: new TextEncoder().encode(content), time: 1 });
    }
    const found = (uri) => {
        const file = files.get(uri.path);
        if (!file) throw vscode.FileSystemError.FileNotFound(uri);
        return file;
    };
    const provider = {
        onDidChangeFile: changed.event,
        watch: () => ({ dispose() {} }),
        stat(uri) {
            if (uri.path === '/' || uri.path === '/kernels')
                return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
            const { content, time } = found(uri);
            return { type: vscode.FileType.File, ctime: 0, mtime: time, size: content.length };
        },
        readDirectory: () => [...files.keys()].map((path) => [path.split('/').pop(), vscode.FileType.File]),
        readFile: (uri) => found(uri).content,
        writeFile(uri, content) {
            const type = files.has(uri.path) ? vscode.FileChangeType.Changed : vscode.FileChangeType.Created;
            files.set(uri.path, { content, time: Date.now() });
            changed.fire([{ type, uri }]);
        },
        delete(uri) {
            files.delete(uri.path);
            changed.fire([{ type: vscode.FileChangeType.Deleted, uri }]);
        },
        createDirectory() {},
        rename() {
            throw vscode.FileSystemError.NoPermissions();
        },
    };
    context.subscriptions.push(vscode.workspace.registerFileSystemProvider('memory', provider));
};
