import { downloadJson } from "~/http/download.server";
import { screen } from "~/http/screen.server";
import { exportPersona } from "~/work/personas/exchange.service.server";

const { loader } = screen({
  access: "signed-in",
  load: ({ actor, params }) => {
    const exported = exportPersona(actor, params.id ?? "");
    return downloadJson(exported.personas[0]?.name ?? "", "persona", exported);
  },
});

export { loader };
