import { existsSync } from "node:fs";

/** Folders of the system's programs: the console's own PATH isn't handed to child processes. */
export const PROGRAM_PATH = "/usr/local/bin:/usr/bin:/bin";

/** @returns the program's path; undefined if the system doesn't have it */
export const findProgram = (name: string) =>
  PROGRAM_PATH.split(":")
    .map((folder) => `${folder}/${name}`)
    .find((file) => existsSync(file));

const BUILT = /^(.*[\\/]build)(?:[\\/](?:server|workers))?$/;

/**
 * Folder of the build that runs, undefined where the sources do. It is found from the code's own place: the link `build`
 * in the working directory may lead to a newer build meanwhile.
 */
export const builtFolder = BUILT.exec(import.meta.dirname)?.[1];
