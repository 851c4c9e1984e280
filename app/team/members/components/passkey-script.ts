/** The page is plain HTML, so the browser's own functions do: those without them sign in with a password. */
export const PASSKEY_SCRIPT = import.meta.env.SSR
  ? `{
  const form = document.getElementById("passkey-sign-in"), key = window.PublicKeyCredential;
  if (form && key?.parseRequestOptionsFromJSON && key.prototype.toJSON) {
    const button = form.querySelector("button"), failed = form.querySelector("[role=alert]");
    form.hidden = false;
    button.addEventListener("click", async (event) => {
      event.preventDefault();
      if (button.disabled) return;
      button.disabled = true;
      failed.textContent = "";
      try {
        const response = await fetch("/api/auth/passkey/options", { method: "POST" });
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
