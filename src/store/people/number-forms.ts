import { BEGINNINGS, CHANGES } from "../../domain/people/two-form-numbers.ts";
import { piece, type Sql, sql } from "../sql.ts";

const FORMS = JSON.stringify(CHANGES);
const BEGINS_SO = piece(`IN (${BEGINNINGS.map((digits) => `'${digits}'`).join(", ")})`);

/** The other form of a number as digits; NULL: it has one form. @param phone a column */
export function otherFormIn(phone: Sql): Sql {
  return sql`iif(substr(${phone}, 1, 2) ${BEGINS_SO}, (
    SELECT CAST(substr(${phone}, 1, f.value ->> 'kept') || (f.value ->> 'added') || substr(${phone}, f.value ->> 'next') AS INTEGER)
    FROM json_each(${FORMS}) f WHERE ${phone} GLOB (f.value ->> 'form')), NULL)`;
}

/** See oneFormOf. @param phone a column */
export function oneFormIn(phone: Sql): Sql {
  return sql`min(${phone}, coalesce(${otherFormIn(phone)}, ${phone}))`;
}
