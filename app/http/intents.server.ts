import { AppError } from "~/core/errors";
import type { EdgeContext } from "./context";
import { redirectWithToast } from "./toast.server";

/** Takes a value out of a posted form that isn't part of its schema: the pressed button's intent, the id it is about. */
export function takeField(form: FormData, name: string): string {
  const value = form.get(name);
  form.delete(name);
  return typeof value === "string" ? value : "";
}

/** For an intent that no button of the screen has. */
export function refuseIntent(): never {
  throw new AppError("invalid", "This form is not known here.");
}

/**
 * A form that has nothing to type again: a refusal goes back to the screen as a message.
 *
 * @param title what failed; the refusal's own sentence stands below it
 */
export async function orToast(
  to: string,
  title: string,
  context: EdgeContext,
  work: () => Response | Promise<Response>,
  describe: (detail: string) => string = (detail) => detail,
): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return redirectWithToast(to, { kind: "error", title, description: describe(error.message) }, context);
  }
}
