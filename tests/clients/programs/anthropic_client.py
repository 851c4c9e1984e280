import anthropic
from cases import BUSY_MODEL, CONSOLE, GREETING, LIMITED_MODEL, MESSAGES_MODEL, PIXEL, TOKEN, WEATHER
from cases import equal, run_cases, thrown_by
from pydantic import BaseModel

client = anthropic.Anthropic(api_key=TOKEN, base_url=CONSOLE, max_retries=0)


class Person(BaseModel):
    name: str
    born: int


def ask(content, model=MESSAGES_MODEL):
    return {"model": model, "max_tokens": 1000, "messages": [{"role": "user", "content": content}]}


def text():
    answer = client.messages.create(**ask("greet"))
    equal((answer.content[0].text, answer.stop_reason), (GREETING, "end_turn"))
    assert answer._request_id.startswith("req_")


def stream():
    with client.messages.stream(**ask("greet")) as events:
        equal("".join(events.text_stream), GREETING)
        equal(events.get_final_message().stop_reason, "end_turn")


def tools():
    asked = []

    @anthropic.beta_tool
    def look_up(city: str) -> str:
        """Looks up the weather.

        Args:
            city: Its name.
        """
        asked.append(city)
        return "21"

    # The scripted provider holds no threads and doesn't say so; the console itself refuses them.
    thread = {"thread": False} if MESSAGES_MODEL.startswith("claude") else {}
    runner = client.beta.messages.tool_runner(**ask("weather"), **thread, tools=[look_up])
    equal(runner.until_done().content[-1].text, WEATHER)
    equal(asked, ["Wien"])


def structured():
    answer = client.messages.parse(**ask("as json"), output_format=Person)
    equal(answer.parsed_output, Person(name="Ada", born=1815))


def images():
    source = {"type": "base64", "media_type": "image/png", "data": PIXEL}
    content = [{"type": "image", "source": source}, {"type": "text", "text": "picture"}]
    equal(client.messages.create(**ask(content)).content[0].text, "One pixel.")


def errors():
    stranger = anthropic.Anthropic(api_key="qdt_wrong", base_url=CONSOLE, max_retries=0)
    equal(type(thrown_by(lambda: stranger.messages.create(**ask("greet")))), anthropic.AuthenticationError)
    too_long = thrown_by(lambda: client.messages.create(**ask("too long")))
    assert isinstance(too_long, anthropic.BadRequestError) and "maximum context length" in str(too_long), too_long
    limited = thrown_by(lambda: client.messages.create(**ask("slow down", LIMITED_MODEL)))
    equal(type(limited), anthropic.RateLimitError)
    assert limited.response.headers["retry-after"]
    busy = thrown_by(lambda: client.messages.create(**ask("overloaded", BUSY_MODEL)))
    assert busy.status_code >= 500, busy
    missing = thrown_by(lambda: client.messages.create(**ask("greet", "none")))
    equal(type(missing), anthropic.NotFoundError)
    assert missing.request_id.startswith("req_")


def abort():
    with client.messages.stream(**ask("long story")) as events:
        for _, _piece in zip(range(3), events.text_stream):
            pass
    equal(client.messages.create(**ask("greet")).content[0].text, GREETING)


def models():
    assert MESSAGES_MODEL in [model.id for model in client.models.list()]
    equal(client.models.retrieve(MESSAGES_MODEL).type, "model")


def token_counts():
    messages = ask("greet " * 100)["messages"]
    assert client.messages.count_tokens(model=MESSAGES_MODEL, messages=messages).input_tokens > 0


run_cases(
    {
        "text": text,
        "stream": stream,
        "tools": tools,
        "structured output": structured,
        "images": images,
        "errors": errors,
        "abort": abort,
        "models": models,
        "token counts": token_counts,
    }
)
