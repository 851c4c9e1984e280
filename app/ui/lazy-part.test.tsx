import { PassThrough } from "node:stream";
import { renderToPipeableStream } from "react-dom/server";
import { expect, it } from "vitest";
import { lazyPart } from "./lazy-part";

it("is complete in the server's page, without a Suspense boundary", async () => {
  const part = lazyPart(
    async () =>
      ({ name }: { name: string }) => <p>{name}</p>,
    "p",
  );
  const html = await new Promise<string>((resolve, reject) => {
    const chunks: Buffer[] = [];
    const out = new PassThrough().on("data", (chunk: Buffer) => chunks.push(chunk));
    out.on("end", () => resolve(Buffer.concat(chunks).toString()));
    const page = <part.Part name="Messages" fallback={<p>Loading</p>} />;
    const { pipe } = renderToPipeableStream(page, { onError: reject, onAllReady: () => pipe(out) });
  });
  expect(html).toBe("<p>Messages</p>");
});
