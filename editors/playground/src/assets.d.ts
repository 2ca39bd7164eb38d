/** Texts that the bundler includes. */
declare module '*.ptx' {
  const text: string;
  export default text;
}
