import type { ClientActionFunctionArgs } from "@remix-run/react";

interface AcceptedSave {
  /** Of the saved workflow. */
  id: string;
}

let accepted: AcceptedSave | undefined;
let onAccepted: (() => void) | undefined;

/** The last save of the builder that the server accepted; each is another object. */
export const acceptedSave = (): AcceptedSave | undefined => accepted;

/** Runs at once when the form that is being sent is accepted, before the page says so. */
export function onceAccepted(run: () => void): void {
  onAccepted = run;
}

/**
 * Sends a form of the builder and remembers the save that it was. The router's own states in between can't tell: on a
 * slow page they are over before they are drawn.
 */
export async function sendBuilderForm({ serverAction }: ClientActionFunctionArgs): Promise<unknown> {
  try {
    return await serverAction();
  } catch (thrown) {
    const id = thrown instanceof Response ? savedId(thrown) : null;
    if (id !== null) {
      accepted = { id };
      onAccepted?.();
      onAccepted = undefined;
    }
    throw thrown;
  }
}

/** Of the workflow that a save or a run leads to; an ended session leads to the sign-in. */
function savedId({ headers }: Response): string | null {
  const { pathname, searchParams } = new URL(headers.get("Location") ?? "", window.location.href);
  return headers.has("Location") && pathname === window.location.pathname ? searchParams.get("id") : null;
}
