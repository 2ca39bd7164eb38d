/** The HTML page of the views: a script fills it with the content that a view sends. */

import * as vscode from 'vscode';

/** The page of a view: it loads one script and one style sheet of the extension, and nothing else can be loaded. */
export function page(webview: vscode.Webview, dist: vscode.Uri, title: string): string {
  const nonce = crypto.randomUUID();
  const file = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${webview.cspSource}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="${file('webview-style.css')}">
</head>
<body>
<script nonce="${nonce}" src="${file('webview.js')}"></script>
</body>
</html>`;
}
