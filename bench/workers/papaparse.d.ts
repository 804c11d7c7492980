/** What the bench and a test use of papaparse. Its published types bring Node's into the check of src/, which must not use them. */
declare module "papaparse" {
  interface ParseResult<T> {
    data: T[];
    errors: { row?: number; message: string }[];
  }

  const Papa: {
    parse<T>(text: string, options: { header: true; skipEmptyLines: boolean }): ParseResult<T>;
    parse<T>(
      text: string,
      options: { header: true; skipEmptyLines: "greedy"; delimiter: string; newline: string },
    ): ParseResult<T>;
  };
  export default Papa;
}
