/**
 * Signed-out pages are plain HTML, so the browser's own functions do: those without them sign in with a password. The
 * sign-in page also offers passkeys among what the browser fills in, with a new challenge before one expires.
 */
export const PASSKEY_SCRIPT = import.meta.env.SSR
  ? `{
  const key = window.PublicKeyCredential, base = document.documentElement.dataset.base ?? "";
  const isSupported = key?.prototype.toJSON && key.parseRequestOptionsFromJSON && key.parseCreationOptionsFromJSON;
  for (const part of document.querySelectorAll("[data-needs-passkeys]")) part.hidden = !isSupported;
  const offer = (id, problem, ask) => {
    const form = isSupported && document.getElementById(id);
    if (!form) return;
    const button = form.querySelector("button"), failed = form.querySelector("[role=alert]");
    const send = async (how) => {
      form.elements.credential.value = JSON.stringify(await ask(form, how));
      form.submit();
    };
    button.addEventListener("click", async (event) => {
      event.preventDefault();
      if (button.disabled) return;
      button.disabled = true;
      failed.textContent = "";
      await send().catch(() => (failed.textContent = problem));
      button.disabled = false;
      if (failed.textContent) form.dispatchEvent(new Event("failed"));
    });
    return { form, send };
  };
  let filling;
  const signIn = offer("passkey-sign-in", "No passkey was used. Try again, or use your password.", async (_, how) => {
    if (!how) filling?.abort();
    const response = await fetch(base + "/api/auth/passkey/options", { method: "POST" });
    if (!response.ok) throw new Error(String(response.status));
    const publicKey = key.parseRequestOptionsFromJSON(await response.json());
    return navigator.credentials.get({ publicKey, ...how });
  });
  const fill = async () => {
    const controller = (filling = new AbortController());
    if (!(await key.isConditionalMediationAvailable?.()) || controller.signal.aborted) return;
    let isRenewed = false;
    const renew = () => {
      isRenewed = true;
      controller.abort();
    };
    const timer = setTimeout(renew, ${4 * 60_000});
    await signIn.send({ mediation: "conditional", signal: controller.signal }).catch(() => undefined);
    clearTimeout(timer);
    if (isRenewed) return fill();
  };
  if (signIn) {
    signIn.form.addEventListener("failed", fill);
    void fill();
  }
  offer("passkey-create", "Your browser created no passkey. Try again, or use another device.", (form) =>
    navigator.credentials.create({ publicKey: key.parseCreationOptionsFromJSON(JSON.parse(form.dataset.options)) }));
}`
  : "";
