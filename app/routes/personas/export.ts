import { exportPersona } from "~/features/personas/exchange.service.server";
import { screen } from "~/http/screen.server";

const { loader } = screen({
  access: "signed-in",
  load: ({ actor, params }) =>
    new Response(`${JSON.stringify(exportPersona(actor, params.id ?? ""), null, 2)}\n`, {
      headers: {
        "Content-Type": "application/json; charset=utf-8",
        "Content-Disposition": 'attachment; filename="persona.json"',
        "Cache-Control": "no-store",
      },
    }),
});

export { loader };
