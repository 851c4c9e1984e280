import type { WorkflowTemplate } from "./template";

const QUESTION = `trigger.?question.orValue("What should I know first?")`;

export const answerFromDocuments: WorkflowTemplate = {
  id: "answer-from-documents",
  name: "Answer from documents",
  description: "Answer a question from the documents, and cite the passages behind it.",
  triggers: [{ id: "by_hand", type: "manual", config: {} }],
  steps: [
    {
      id: "search",
      type: "search_documents",
      name: "Find passages",
      config: { query: `{{ ${QUESTION} }}`, topK: 5, category: "" },
    },
    {
      id: "answer",
      type: "ai_completion",
      name: "Answer the question",
      config: {
        model: "",
        system:
          "Answer from the passages alone and name their numbers, such as [1]. If they don't answer the question, say so.",
        prompt: `Question: {{ ${QUESTION} }}\n\nPassages:\n{{ steps.search.text }}`,
        temperature: 0.2,
      },
    },
    {
      id: "result",
      type: "return",
      config: {
        value: `{{ {"answer": steps.answer.text, "sources": steps.search.results} }}`,
      },
    },
  ],
  connections: [],
};
