/** Styles of a library, as text (setup/build.ts). */
declare module '*.css' {
  const styles: string;
  export default styles;
}
