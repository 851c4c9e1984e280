import json

import litellm
from cases import CITY, CONSOLE, GREETING, HEARD, IMAGE_MODEL, MESSAGES_MODEL, MODEL, PIXEL
from cases import RERANK_MODEL, SILENCE, TOKEN, V1, WEATHER, equal, run_cases, thrown_by
from pydantic import BaseModel

litellm.telemetry = False
litellm.suppress_debug_info = True

ROUTES = [
    {"model": f"openai/{MODEL}", "api_base": V1},
    {"model": f"anthropic/{MESSAGES_MODEL}", "api_base": CONSOLE, "max_tokens": 1000},
]


class Person(BaseModel):
    name: str
    born: int


def ask(route, content, **own):
    messages = content if isinstance(content[0], dict) and "role" in content[0] else None
    messages = messages or [{"role": "user", "content": content}]
    return litellm.completion(**route, api_key=TOKEN, num_retries=0, messages=messages, **own)


def text():
    for route in ROUTES:
        equal(ask(route, "greet").choices[0].message.content, GREETING)


def stream():
    for route in ROUTES:
        chunks = ask(route, "greet", stream=True)
        equal("".join(chunk.choices[0].delta.content or "" for chunk in chunks), GREETING)


def tools():
    given = [{"type": "function", "function": {"name": "look_up", "parameters": CITY}}]
    for route in ROUTES:
        question = {"role": "user", "content": "weather"}
        call = ask(route, [question], tools=given).choices[0].message
        equal(json.loads(call.tool_calls[0].function.arguments), {"city": "Wien"})
        result = {"role": "tool", "tool_call_id": call.tool_calls[0].id, "content": "21"}
        answer = ask(route, [question, call.model_dump(exclude_none=True), result], tools=given)
        equal(answer.choices[0].message.content, WEATHER)


def structured():
    for route in ROUTES:
        answer = ask(route, "as json", response_format=Person)
        equal(Person.model_validate_json(answer.choices[0].message.content), Person(name="Ada", born=1815))


def images():
    url = f"data:image/png;base64,{PIXEL}"
    content = [{"type": "text", "text": "picture"}, {"type": "image_url", "image_url": {"url": url}}]
    for route in ROUTES:
        equal(ask(route, content).choices[0].message.content, "One pixel.")


def errors():
    for route in ROUTES:
        error = thrown_by(lambda route=route: ask(route, "too long"))
        assert isinstance(error, litellm.ContextWindowExceededError), error


def embeddings():
    made = litellm.embedding(
        model="openai/text-embedding-3-small",
        api_base=V1,
        api_key=TOKEN,
        input=["embed me"],
        encoding_format="float",
    )
    equal(made.data[0]["embedding"], [0.25, -0.5, 1])


def reranking():
    made = litellm.rerank(
        model=f"jina_ai/{RERANK_MODEL}",
        api_base=CONSOLE,
        api_key=TOKEN,
        query="red ships",
        documents=["Tea.", "Red ships."],
        top_n=1,
    )
    equal([result["index"] for result in made.results], [1])


def image_generation():
    model = f"openai/{IMAGE_MODEL}"
    made = litellm.image_generation(model=model, api_base=V1, api_key=TOKEN, prompt="A red ship")
    equal([image.b64_json for image in made.data], [PIXEL])


def audio():
    file = ("voice.wav", SILENCE, "audio/wav")
    made = litellm.transcription(model="openai/whisper-1", api_base=V1, api_key=TOKEN, file=file)
    equal(made.text, HEARD)
    speech = litellm.speech(model="openai/tts-1", api_base=V1, api_key=TOKEN, voice="alloy", input="Hello")
    equal(speech.content[:4], b"RIFF")


run_cases(
    {
        "text": text,
        "stream": stream,
        "tools": tools,
        "structured output": structured,
        "images": images,
        "errors": errors,
        "embeddings": embeddings,
        "reranking": reranking,
        "image generation": image_generation,
        "audio": audio,
    }
)
