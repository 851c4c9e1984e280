import { downloadJson } from "~/http/download.server";
import { screen } from "~/http/screen.server";
import { exportWorkflow } from "~/work/workflows/exchange.service.server";

const { loader } = screen({
  access: "signed-in",
  load: ({ actor, params }) => {
    const workflow = exportWorkflow(actor, params.workflowId ?? "");
    return downloadJson(workflow.name, "workflow", workflow);
  },
});

export { loader };
