import { addMockProvider, startAimock } from "../support/aimock";
import { type AudioServer, HEARD, silentWav, startAudioServer } from "../support/audio-server";
import { expect, expectAccessible, test } from "../support/fixtures";
import type { TestServer } from "../support/server";

test.use({ role: "member", serverOf: "voice" });

let audio: AudioServer;
let mock: Awaited<ReturnType<typeof startAimock>>;
test.beforeAll(async () => {
  audio = await startAudioServer();
  mock = await startAimock();
  mock.onMessage(/ships/, { content: "They bring **rope** and `tar`." });
});
test.afterAll(async () => {
  await audio?.close();
  await mock?.stop();
});

async function addVoices(server: TestServer): Promise<void> {
  await addMockProvider(server, mock);
  const config = { baseUrl: `${audio.origin}/v1`, models: ["whisper-1", "tts-1"] };
  const json = { provider: "custom", displayName: "Voices", enabled: true, config };
  const response = await server.ask("/api/providers", { as: "owner", json });
  expect(response.status).toBe(201);
}

const recording = { name: "note.wav", mimeType: "audio/wav", buffer: silentWav(2) };

test("a recording becomes text, and its answer is read aloud", { tag: "@no-javascript" }, async ({
  page,
  open,
  server,
  javaScriptEnabled,
}) => {
  await addVoices(server);
  // A document keeps the permissions with which it was opened.
  await open("/personas");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "AI Chat" }).click();
  const message = page.getByRole("textbox", { name: "Message" });
  if (javaScriptEnabled === false) {
    // By its name: the input before it, of pages with JavaScript, may be all that has come so far.
    await page.locator('input[name="files"]').setInputFiles([recording]);
    await page.getByRole("button", { name: "Transcribe" }).click();
  } else {
    await page.getByRole("button", { name: "Dictate" }).click();
    const bar = page.getByRole("group", { name: "Dictation" });
    await expect(bar.getByText("Listening")).toBeVisible();
    await expectAccessible(page);
    await bar.getByRole("button", { name: "Done" }).click();
    await expect(bar).toHaveCount(0);
    await expect(message).toBeFocused();
    expect(audio.forms.at(-1)?.file).toMatchObject({ name: "recording.webm", type: "audio/webm" });
  }
  await expect(message).toHaveValue(HEARD);
  await page.getByRole("button", { name: "Send" }).click();
  const answer = page.getByRole("article", { name: "Assistant" });
  await expect(answer).toContainText("rope");
  if (javaScriptEnabled === false) {
    await page.goto(page.url().replace(/\/live$/, ""));
    const address = await answer.getByRole("link", { name: "Read aloud" }).getAttribute("href");
    const sound = await page.request.get(address ?? "");
    expect(sound.headers()).toMatchObject({
      "content-type": "audio/wav",
      "content-disposition": 'attachment; filename="answer.wav"',
    });
    expect(await sound.body()).toEqual(silentWav(1));
  } else {
    await answer.getByRole("button", { name: "Read aloud" }).click();
    await expect(answer.getByRole("button", { name: "Read aloud" })).toBeVisible();
    await expect.poll(() => audio.spoken.length).toBeGreaterThan(0);
  }
  expect(audio.spoken.at(-1)).toMatchObject({ input: "They bring rope and tar.", voice: "alloy" });
});

test("what is attached as a recording goes to the model as its words", async ({ page, open, server }) => {
  await addVoices(server);
  await open("/chat");
  await page.locator('input[type="file"]').first().setInputFiles([recording]);
  await expect(page.getByRole("list", { name: "Attached files" })).toContainText("16 KB");
  await page.getByRole("textbox", { name: "Message" }).press("Enter");
  await expect(page.getByRole("article", { name: "Assistant" })).toContainText("rope");
});

test("a double click on the microphone only dictates", async ({ page, open, server }) => {
  await addVoices(server);
  await open("/chat");
  await page.getByRole("button", { name: "Dictate", exact: true }).dblclick();
  const bar = page.getByRole("group", { name: "Dictation" });
  await expect(bar.getByRole("button", { name: "Done" })).toBeVisible();
  await expect(page).toHaveURL(/\/chat$/);
  await bar.getByRole("button", { name: "Cancel dictation" }).click();
  await expect(page.getByRole("button", { name: "Dictate", exact: true })).toBeEnabled();
});

test("a recording that couldn't be transcribed is sent once more, and asked about before the page is left", async ({
  page,
  open,
  server,
}) => {
  await addVoices(server);
  await open("/chat");
  const json = { title: "Provider failed", status: 502, detail: "Voices is away." };
  await page.route("**/api/ai/transcriptions", (route) => route.fulfill({ status: 502, json }), { times: 1 });
  await page.getByRole("button", { name: "Dictate", exact: true }).click();
  const bar = page.getByRole("group", { name: "Dictation" });
  await bar.getByRole("button", { name: "Done" }).click();
  await expect(bar).toContainText("Voices is away.");
  const again = bar.getByRole("button", { name: "Try Again" });
  await expect(again).toBeFocused();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Workflows" }).click();
  const question = page.getByRole("alertdialog", { name: "Discard what you said?" });
  await question.getByRole("button", { name: "Stay" }).click();
  await expect(page).toHaveURL(/\/chat$/);
  await again.click();
  await expect(page.getByRole("textbox", { name: "Message" })).toHaveValue(HEARD);
  await expect(bar).toHaveCount(0);
});

test("a temporary chat is dictated", async ({ page, open, server }) => {
  await addVoices(server);
  await open("/chat/temporary");
  await page.getByRole("button", { name: "Dictate" }).click();
  const bar = page.getByRole("group", { name: "Dictation" });
  await bar.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("textbox", { name: "Message" })).toHaveValue(HEARD);
  await page.getByRole("button", { name: "Dictate", exact: true }).click();
  await expect(bar.getByRole("button", { name: "Done" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(bar).toHaveCount(0);
  await expect(page.getByRole("textbox", { name: "Message" })).toHaveValue(HEARD);
});
