// Files of subscribers, as tests write them in short.

/** A row of `phone_numbers,email,subscribed`. It says true unless it says something else. */
export function subscriberRow(line: string): string {
  const [phone, email = "", subscribed] = line.split(",");
  return phone === "" ? line : [phone, email, subscribed || "true"].join(",");
}

/** The query of an import, which says of a file without a column `subscribed` that everyone has agreed. */
export function importQuery(csv: string, query = ""): string {
  const [head = ""] = csv.replace(/^sep=.\s*/, "").split(/[\r\n]/);
  if (/subscribed/i.test(head)) return query;
  return `${query}${query === "" ? "?" : "&"}everyone=subscribed`;
}
