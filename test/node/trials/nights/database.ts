import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
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

/** The table by which the service knows its latest migration: selectLatest. */
const LATEST = "counted_ledgers";

/** Takes back what the latest migration has added, while the service is down: as if it were newer than its database. */
function takeBack(directory: string): void {
  const folder = join(directory, TABLES);
  const file = readdirSync(folder).find((name) => name.endsWith(".sqlite") && !name.startsWith("metadata"));
  const db = new DatabaseSync(join(folder, String(file)));
  db.exec(`DROP TABLE ${LATEST}; DELETE FROM d1_migrations`);
  db.close();
}

/** @returns the path of a migration that adds the table, in the folder of the service */
async function writeMigration(directory: string): Promise<string> {
  const schema = await readFile((await findMigrations()).at(-1) ?? "", "utf8");
  const [table] = new RegExp(`^CREATE TABLE ${LATEST} [^;]*;`, "m").exec(schema.replaceAll(/--.*$/gm, "")) ?? [];
  const path = join(directory, "0002_latest.sql");
  await writeFile(path, String(table));
  return path;
}

/** A deploy before its migration. */
const behindNight: Night = {
  name: "database lacks a migration",
  async play(place) {
    const { service } = place;
    return playFault(place, await place.makeBrand(MOST_TEXTS), {
      problems: ["migration-missing"],
      begin: async () => {
        await service.kill();
        takeBack(service.directory);
        await service.start();
      },
      repair: async () => {
        place.commands.push("wrangler d1 migrations apply DB");
        await service.migrate([await writeMigration(service.directory)]);
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
