import { z } from "zod";
import { created, endpoint, resource } from "~/http/resource.server";
import { CheckQuestion, CheckQuestionInput } from "~/work/search/evaluation/retrieval-check.schema";
import { addQuestion, listQuestions } from "~/work/search/evaluation/retrieval-questions.service.server";

const route = resource({
  path: "/api/rag/check/questions",
  tag: "Retrieval check",
  GET: endpoint({
    summary: "List saved questions, oldest first",
    access: "documents.search",
    response: z.array(CheckQuestion),
    handle: ({ actor }) => listQuestions(actor),
  }),
  POST: endpoint({
    summary: "Save a question with its expected passages",
    access: "documents.write",
    body: CheckQuestionInput,
    response: CheckQuestion,
    status: 201,
    handle: ({ actor, body }) => {
      const question = addQuestion(actor, body);
      return created(question, `/api/rag/check/questions/${question.id}`);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
