import { existsSync } from "node:fs";

/** Folders of the system's programs: the console's own PATH isn't handed to child processes. */
export const PROGRAM_PATH = "/usr/local/bin:/usr/bin:/bin";

/** @returns the program's path; undefined if the system doesn't have it */
export const findProgram = (name: string) =>
  PROGRAM_PATH.split(":")
    .map((folder) => `${folder}/${name}`)
    .find((file) => existsSync(file));
