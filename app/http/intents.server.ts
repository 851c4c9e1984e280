import { data } from "@remix-run/node";
import { AppError } from "~/core/errors";
import type { EdgeContext } from "./context";
import { sameOnBothSides } from "./same-text.server";
import { toProblem } from "./status.server";
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

/**
 * A confirmation whose refusal stands in its dialog. Where what it is about has gone, the dialog has too: then it is a
 * message on the screen.
 *
 * @param title what failed; the refusal's own sentence stands below it
 */
export async function orDialog(
  to: string,
  title: string,
  context: EdgeContext,
  work: () => Response | Promise<Response>,
  describe: (detail: string) => string = (detail) => detail,
) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const description = describe(error.message);
    if (error.code === "not_found")
      return redirectWithToast(to, { kind: "error", title, description }, context);
    const failed = sameOnBothSides({ title, description });
    return data({ result: undefined, failed }, { status: toProblem(error).status });
  }
}
