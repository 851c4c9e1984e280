import { AppError } from "~/core/errors";

/** Undefined if usable. */
export function findSecretProblem(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}
