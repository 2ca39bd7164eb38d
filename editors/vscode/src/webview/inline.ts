/** Text of messages with words of the language in backticks. The playground of the book uses it, too. */

/** The nodes of a text: what is between backticks is code, and nothing else is markup. */
export function inline(text: string): Node[] {
  return text.split(/(`[^`\n]+`)/).map((part) => {
    if (!/^`[^`]+`$/.test(part)) return document.createTextNode(part);
    const code = document.createElement('code');
    code.textContent = part.slice(1, -1);
    return code;
  });
}
