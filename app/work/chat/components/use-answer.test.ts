import { expect, it } from "vitest";
import { sendProblem } from "./use-answer";

it("explains how to shorten a message that is too long, and returns any other detail", async () => {
  const problem = (status: number) => new Response('{"detail":"The body is larger than 1 MB."}', { status });
  expect(await sendProblem(problem(413))).toBe(
    "This message is too long. Shorten it, or attach the text as a file.",
  );
  expect(await sendProblem(problem(400))).toBe("The body is larger than 1 MB.");
});
