import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { countMissingFiles } from "./missing-files.thread";

it("counts files that rows name and that are gone, each once", () => {
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-missing-"));
  try {
    const raw = new Database(join(folder, "quarterdeck.sqlite"));
    raw.exec(`CREATE TABLE attachments (sha TEXT, text_sha TEXT);
      CREATE TABLE workflow_run_steps (run_id TEXT, output TEXT);
      CREATE TABLE stored_files (path TEXT, state TEXT);
      INSERT INTO stored_files VALUES ('attachments/bb', 'copied'), ('attachments/cc', 'missing'), ('runs/run_1/out_1.json', 'copied');
      INSERT INTO attachments VALUES ('aa', 'bb'), ('aa', NULL), ('cc', 'dd');
      INSERT INTO workflow_run_steps VALUES ('run_1', '{"$file":"out_1.json","key":"a","bytes":3,"head":"x"}'),
        ('run_2', '{"$file":"out_2.json","key":"a","bytes":3,"head":"x"}'), ('run_2', '"text"'), ('run_3', NULL)`);
    raw.close();
    expect(countMissingFiles(folder, false)).toEqual({ attachments: 4, outputs: 2 });
    expect(countMissingFiles(folder, true)).toEqual({ attachments: 3, outputs: 1 });
    for (const name of ["attachments", "runs/run_1", "runs/run_2"])
      mkdirSync(join(folder, name), { recursive: true });
    for (const name of ["attachments/aa", "attachments/dd", "runs/run_2/out_2.json"])
      writeFileSync(join(folder, name), "x");
    expect(countMissingFiles(folder, false)).toEqual({ attachments: 2, outputs: 1 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
