"""Presidio's analyzer at /analyze, with its recognizers by pattern: PyPI has no model that knows names.

Prints its port, and ends with its input.
"""

import json
import sys
import tempfile
import threading

import spacy
from flask import Flask, Response, jsonify, request
from presidio_analyzer import AnalyzerEngine, AnalyzerRequest
from presidio_analyzer.nlp_engine import NlpEngineProvider
from werkzeug.serving import make_server

with tempfile.TemporaryDirectory() as folder:
    spacy.blank("en").to_disk(folder)
    models = [{"lang_code": "en", "model_name": folder}]
    configuration = {"nlp_engine_name": "spacy", "models": models}
    nlp = NlpEngineProvider(nlp_configuration=configuration).create_engine()
    engine = AnalyzerEngine(nlp_engine=nlp, supported_languages=["en"])

app = Flask(__name__)


@app.post("/analyze")
def analyze():
    try:
        wanted = AnalyzerRequest(request.get_json())
        found = engine.analyze(
            text=wanted.text,
            language=wanted.language,
            entities=wanted.entities,
            score_threshold=wanted.score_threshold,
        )
    except Exception as error:
        return jsonify(error=str(error)), 500
    plain = [{**one.to_dict(), "recognition_metadata": None} for one in found]
    return Response(json.dumps(plain), content_type="application/json")


server = make_server("127.0.0.1", 0, app, threaded=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
