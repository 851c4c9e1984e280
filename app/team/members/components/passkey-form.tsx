import { KeyRound } from "lucide-react";
import { Button } from "~/ui/button";
import { Or } from "./auth-frame";

/** Signs in without an email address: the browser offers the accounts that it has passkeys of. */
export function PasskeyForm() {
  return (
    <form method="post" id="passkey-sign-in" data-needs-passkeys="" hidden className="flex flex-col gap-4">
      <Or />
      <input type="hidden" name="intent" value="passkey" />
      <input type="hidden" name="credential" />
      <Button size="lg" icon={<KeyRound aria-hidden="true" />}>
        Sign In with a Passkey
      </Button>
      <p role="alert" className="text-danger-ink text-sm empty:hidden" />
    </form>
  );
}

/** Has the browser create a passkey on a click, as Safari wants, on a page without the client's bundle. */
export function NewPasskeyForm({ options }: { options: unknown }) {
  return (
    <form
      method="post"
      id="passkey-create"
      data-options={JSON.stringify(options)}
      className="flex flex-col gap-4"
    >
      <input type="hidden" name="intent" value="add-passkey" />
      <input type="hidden" name="credential" />
      <Button variant="primary" size="lg" icon={<KeyRound aria-hidden="true" />}>
        Create Passkey
      </Button>
      <p role="alert" className="text-danger-ink text-sm empty:hidden" />
    </form>
  );
}
