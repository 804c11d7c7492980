import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { findMigrations } from "../../../../scripts/migrations.ts";
import { TABLES } from "../crash/record.ts";
import { MOST_TEXTS, type Night, playFault } from "./night.ts";

/** Nobody's text is accepted meanwhile: clients ask again with their keys. */
const awayNight: Night = {
  name: "database is away",
  async play(place) {
    return playFault(place, await place.makeBrand(MOST_TEXTS), {
      problems: ["database-away"],
      begin: () => place.turn({ database: "away" }),
      repair: () => place.turn({ database: "works" }),
      hasHealthyNeighbor: false,
    });
  },
};

/** Takes back what the newest migration has added, while the service is down: as if it were newer than its database. */
async function takeBack(directory: string, migration: string): Promise<void> {
  const sql = await readFile(migration, "utf8");
  const folder = join(directory, TABLES);
  const file = readdirSync(folder).find((name) => name.endsWith(".sqlite") && !name.startsWith("metadata"));
  const db = new DatabaseSync(join(folder, String(file)));
  for (const [, index] of sql.matchAll(/^CREATE (?:UNIQUE )?INDEX (\w+)/gm)) db.exec(`DROP INDEX ${index}`);
  for (const [, table] of sql.matchAll(/^CREATE TABLE (\w+)/gm)) db.exec(`DROP TABLE ${table}`);
  for (const [, table, column] of sql.matchAll(/^ALTER TABLE (\w+) ADD COLUMN (\w+)/gm)) {
    db.exec(`ALTER TABLE ${table} DROP COLUMN ${column}`);
  }
  db.exec(`DELETE FROM d1_migrations WHERE name = '${basename(migration)}'`);
  db.close();
}

/** A deploy before its migration. */
const behindNight: Night = {
  name: "database lacks a migration",
  async play(place) {
    const { service } = place;
    const newest = (await findMigrations()).at(-1) ?? "";
    return playFault(place, await place.makeBrand(MOST_TEXTS), {
      problems: ["migration-missing"],
      begin: async () => {
        await service.kill();
        await takeBack(service.directory, newest);
        await service.start();
      },
      repair: async () => {
        place.commands.push("wrangler d1 migrations apply DB");
        await service.migrate([newest]);
        // Jobs may have failed for good meanwhile, where the migration is about what they write.
        await place.operator("put-back", "--all");
      },
      // What an operator changes is stored in a table that is missing, and so a neighbor cannot be made.
      hasHealthyNeighbor: false,
    });
  },
};

/** D1 tells of three quarters of what it may hold. Texts go on; where room was made, nobody has to do more. */
const fillingNight: Night = {
  name: "database fills",
  async play(place) {
    return playFault(place, await place.makeBrand(MOST_TEXTS), {
      problems: ["database-filling"],
      begin: async () => {
        await place.turn({ filled: "7500000000" });
        await place.operator("databases");
      },
      repair: () => place.turn({ filled: "0" }),
    });
  },
};

export const DATABASE_NIGHTS = [awayNight, behindNight, fillingNight];
