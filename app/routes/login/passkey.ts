import { screen } from "~/http/screen.server";
import { beginPasskeySignIn } from "~/team/members/passkeys.service.server";

/** Asked by the script of the sign-in page, once the person chooses a passkey. */
const { loader } = screen({
  access: "public",
  load: async () => Response.json(await beginPasskeySignIn(), { headers: { "Cache-Control": "no-store" } }),
});

export { loader };
