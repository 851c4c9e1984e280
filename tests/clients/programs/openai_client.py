import openai
from cases import BUSY_MODEL, CITY, GREETING, HEARD, IMAGE_MODEL, LIMITED_MODEL, MODEL, PIXEL
from cases import RESPONSES_MODEL, SILENCE, TOKEN, V1, WEATHER, equal, run_cases, thrown_by
from pydantic import BaseModel

client = openai.OpenAI(api_key=TOKEN, base_url=V1, max_retries=0)


class Person(BaseModel):
    name: str
    born: int


def ask(content, model=MODEL):
    return {"model": model, "messages": [{"role": "user", "content": content}]}


def text():
    equal(client.chat.completions.create(**ask("greet")).choices[0].message.content, GREETING)


def stream():
    with client.chat.completions.stream(**ask("greet")) as events:
        for _ in events:
            pass
        equal(events.get_final_completion().choices[0].message.content, GREETING)


def tools():
    given = [{"type": "function", "function": {"name": "look_up", "parameters": CITY}}]
    first = client.chat.completions.create(**ask("weather"), tools=given).choices[0].message
    equal(first.tool_calls[0].function.name, "look_up")
    messages = [
        {"role": "user", "content": "weather"},
        first.model_dump(exclude_none=True),
        {"role": "tool", "tool_call_id": first.tool_calls[0].id, "content": "21"},
    ]
    second = client.chat.completions.create(model=MODEL, messages=messages, tools=given)
    equal(second.choices[0].message.content, WEATHER)


def structured():
    answer = client.chat.completions.parse(**ask("as json"), response_format=Person)
    equal(answer.choices[0].message.parsed, Person(name="Ada", born=1815))


def images():
    url = f"data:image/png;base64,{PIXEL}"
    content = [{"type": "text", "text": "picture"}, {"type": "image_url", "image_url": {"url": url}}]
    equal(client.chat.completions.create(**ask(content)).choices[0].message.content, "One pixel.")


def responses():
    whole = client.responses.create(model=RESPONSES_MODEL, input="greet", store=False)
    equal(whole.output_text, GREETING)
    with client.responses.stream(model=RESPONSES_MODEL, input="greet", store=False) as events:
        for _ in events:
            pass
        equal(events.get_final_response().output_text, GREETING)


def errors():
    stranger = openai.OpenAI(api_key="qdt_wrong", base_url=V1, max_retries=0)
    unknown = thrown_by(lambda: stranger.chat.completions.create(**ask("greet")))
    equal(type(unknown), openai.AuthenticationError)
    too_long = thrown_by(lambda: client.chat.completions.create(**ask("too long")))
    assert isinstance(too_long, openai.BadRequestError) and "maximum context length" in str(too_long), too_long
    limited = thrown_by(lambda: client.chat.completions.create(**ask("slow down", LIMITED_MODEL)))
    equal(type(limited), openai.RateLimitError)
    assert limited.response.headers["retry-after"]
    busy = thrown_by(lambda: client.chat.completions.create(**ask("overloaded", BUSY_MODEL)))
    equal(type(busy), openai.InternalServerError)
    missing = thrown_by(lambda: client.chat.completions.create(**ask("greet", "none")))
    equal((type(missing), missing.code), (openai.NotFoundError, "model_not_found"))


def abort():
    pieces = 0
    with client.chat.completions.create(**ask("long story"), stream=True) as chunks:
        for chunk in chunks:
            pieces += bool(chunk.choices and chunk.choices[0].delta.content)
            if pieces == 3:
                break
    equal(client.chat.completions.create(**ask("greet")).choices[0].message.content, GREETING)


def embeddings():
    made = client.embeddings.create(
        model="text-embedding-3-small", input="embed me", encoding_format="float"
    )
    equal(made.data[0].embedding, [0.25, -0.5, 1])


def image_generation():
    made = client.images.generate(model=IMAGE_MODEL, prompt="A red ship")
    equal([image.b64_json for image in made.data], [PIXEL])
    assert made.usage.total_tokens > 0
    refused = thrown_by(lambda: client.images.generate(model=IMAGE_MODEL, prompt="A red ship", stream=True))
    equal((type(refused), refused.param), (openai.BadRequestError, "stream"))


def audio():
    file = ("voice.wav", SILENCE, "audio/wav")
    equal(client.audio.transcriptions.create(file=file, model="whisper-1").text, HEARD)
    srt = client.audio.transcriptions.create(file=file, model="whisper-1", response_format="srt")
    assert "-->" in srt, srt
    speech = client.audio.speech.create(model="tts-1", voice="alloy", input="Hello")
    equal(speech.content[:4], b"RIFF")


def models():
    assert MODEL in [model.id for model in client.models.list()]
    equal(client.models.retrieve(MODEL).id, MODEL)


run_cases(
    {
        "text": text,
        "stream": stream,
        "tools": tools,
        "structured output": structured,
        "images": images,
        "responses": responses,
        "errors": errors,
        "abort": abort,
        "embeddings": embeddings,
        "image generation": image_generation,
        "audio": audio,
        "models": models,
    }
)
