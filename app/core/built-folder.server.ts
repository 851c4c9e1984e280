const BUILT = /^(.*[\\/]build)(?:[\\/](?:server|workers))?$/;

/**
 * Folder of the build that runs, undefined where the sources do. It is found from the code's own place: the link `build`
 * in the working directory may lead to a newer build meanwhile.
 */
export const builtFolder = BUILT.exec(import.meta.dirname)?.[1];
