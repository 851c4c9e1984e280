import { KeyRound } from "lucide-react";
import { Button } from "~/ui/button";
import { Or } from "./auth-frame";

/** The page is plain HTML, so the browser's own functions do: those without them sign in with a password. */
const SCRIPT = import.meta.env.SSR
  ? `{
  const form = document.getElementById("passkey-sign-in"), key = window.PublicKeyCredential;
  if (key?.parseRequestOptionsFromJSON && key.prototype.toJSON) {
    const button = form.querySelector("button"), failed = form.querySelector("[role=alert]");
    form.hidden = false;
    button.addEventListener("click", async (event) => {
      event.preventDefault();
      if (button.disabled) return;
      button.disabled = true;
      failed.textContent = "";
      try {
        const response = await fetch("/login/passkey");
        if (!response.ok) throw new Error(String(response.status));
        const publicKey = key.parseRequestOptionsFromJSON(await response.json());
        const credential = await navigator.credentials.get({ publicKey });
        form.elements.credential.value = JSON.stringify(credential);
        form.submit();
      } catch {
        failed.textContent = "No passkey was used. Try again, or use your password.";
        button.disabled = false;
      }
    });
  }
}`
  : "";

/** Signs in without an email address: the browser offers the accounts that it has passkeys of. */
export function PasskeyForm({ nonce }: { nonce: string | undefined }) {
  return (
    <>
      <form method="post" id="passkey-sign-in" hidden className="flex flex-col gap-4">
        <Or />
        <input type="hidden" name="intent" value="passkey" />
        <input type="hidden" name="credential" />
        <Button size="lg" icon={<KeyRound aria-hidden="true" />}>
          Sign In with a Passkey
        </Button>
        <p role="alert" className="text-danger-ink text-sm empty:hidden" />
      </form>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: a constant */}
      <script nonce={nonce} dangerouslySetInnerHTML={{ __html: SCRIPT }} />
    </>
  );
}
