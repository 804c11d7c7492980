/** What the bench uses of papaparse. Its published types bring Node's into the check of src/, which must not use them. */
declare module "papaparse" {
  interface ParseResult<T> {
    data: T[];
    errors: { row?: number; message: string }[];
  }

  const Papa: {
    parse<T>(text: string, options: { header: true; skipEmptyLines: boolean }): ParseResult<T>;
  };
  export default Papa;
}
