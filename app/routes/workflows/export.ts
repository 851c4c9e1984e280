import { exportWorkflow } from "~/features/workflows/exchange.service.server";
import { screen } from "~/http/screen.server";

const { loader } = screen({
  access: "signed-in",
  load: ({ actor, params }) => {
    const workflow = exportWorkflow(actor, params.workflowId ?? "");
    const name =
      workflow.name
        .replace(/[^A-Za-z0-9]+/g, "-")
        .replace(/^-|-$/g, "")
        .toLowerCase() || "workflow";
    return new Response(`${JSON.stringify(workflow, null, 2)}\n`, {
      headers: {
        "Content-Type": "application/json; charset=utf-8",
        "Content-Disposition": `attachment; filename="${name}.json"`,
        "Cache-Control": "no-store",
      },
    });
  },
});

export { loader };
