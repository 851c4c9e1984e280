import { readPickerFacts } from "~/ai/models/model-offers.service.server";
import { screen } from "~/http/screen.server";

/** Asked by a picker that is opened. */
const { loader } = screen({
  access: "signed-in",
  load: ({ actor }) => Response.json(readPickerFacts(actor), { headers: { "Cache-Control": "no-store" } }),
});

export { loader };
