import { exportQuestions } from "~/features/knowledge/evaluation/retrieval-questions.service.server";
import { screen } from "~/http/screen.server";

/** The saved questions as a file. */
const { loader } = screen({
  access: "signed-in",
  load: ({ actor }) =>
    new Response(`${JSON.stringify(exportQuestions(actor), null, 2)}\n`, {
      headers: {
        "Content-Type": "application/json; charset=utf-8",
        "Content-Disposition": 'attachment; filename="retrieval-check.json"',
        "Cache-Control": "no-store",
      },
    }),
});

export { loader };
