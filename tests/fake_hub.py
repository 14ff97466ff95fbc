"""A hub of models on loopback: as much of its protocol as huggingface_hub's own client needs to
make, fill and fetch a model.
"""

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = "hf_of_nobody"


class Hub(ThreadingHTTPServer):
    """`models`: (name, branch) -> path -> bytes."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server_port}"
        self.models: dict[tuple[str, str], dict[str, bytes]] = {}
        self.large: dict[str, bytes] = {}  # by sha256
        self.asked: list[str] = []

    def revision(self, name: str, branch: str) -> str:
        files = self.models[name, branch]
        return hashlib.sha1(repr(sorted(files.items())).encode()).hexdigest()

    def find(self, name: str, revision: str) -> tuple[str, dict[str, bytes]] | None:
        """(commit, files) of a branch or commit."""
        for (of, branch), files in self.models.items():
            if of == name and revision in (branch, commit := self.revision(of, branch)):
                return commit if revision == commit else self.revision(of, branch), files
        return None


class Handler(BaseHTTPRequestHandler):
    server: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None: ...

    def _send(self, body: object, status: int = 200, **headers: str) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _none(self) -> None:
        self._send({"error": "Repository not found"}, 404, X_Error_Code="RepoNotFound")

    def do_GET(self) -> None:
        self.server.asked.append(f"{self.command} {self.path}")
        path = self.path.partition("?")[0].strip("/").split("/")
        if path[:2] == ["api", "models"]:
            name, revision = "/".join(path[2:4]), path[5] if len(path) > 5 else "main"
            if (result := self.server.find(name, revision)) is None:
                return self._none()
            if path[4:5] == ["tree"]:
                files = result[1].items()
                sizes = [
                    {
                        "type": "file",
                        "path": f,
                        "size": len(data),
                        "oid": hashlib.sha1(data).hexdigest(),
                    }
                    for f, data in files
                ]
                return self._send(sizes)
            siblings = [{"rfilename": file} for file in result[1]]
            return self._send({"id": name, "modelId": name, "sha": result[0], "siblings": siblings})
        if path[2:3] == ["resolve"]:
            result = self.server.find("/".join(path[:2]), path[3])
            if result is None or "/".join(path[4:]) not in result[1]:
                return self._none()
            data = result[1]["/".join(path[4:])]
            etag = hashlib.sha256(data).hexdigest()
            return self._send(data, X_Repo_Commit=result[0], ETag=f'"{etag}"')
        return self._none()

    do_HEAD = do_GET

    def do_PUT(self) -> None:
        data = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.large[self.path.strip("/").split("/")[-1]] = data
        self._send({})

    def do_POST(self) -> None:
        self.server.asked.append(f"POST {self.path}")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self._send({"error": "Invalid username or password."}, 401)
        path = self.path.partition("?")[0].strip("/").split("/")
        if path == ["api", "repos", "create"]:
            report = json.loads(body)
            name = f"{report.get('organization') or 'somebody'}/{report['name']}"
            self.server.models.setdefault((name, "main"), {})
            return self._send({"url": f"{self.server.address}/{name}", "name": name})
        if path[-1] == "batch":
            objects = [
                {"oid": o["oid"], "size": o["size"],
                 "actions": {"upload": {"href": f"{self.server.address}/lfs/{o['oid']}"}}}
                for o in json.loads(body)["objects"]
            ]  # fmt: skip
            return self._send(
                {"transfer": "basic", "objects": objects},
                Content_Type="application/vnd.git-lfs+json",
            )
        name = "/".join(path[2:4])
        if path[:2] != ["api", "models"]:
            return self._send({})  # validate-yaml
        if path[4] == "branch":
            self.server.models.setdefault((name, path[5]), {})
            return self._send({})
        if path[4] == "preupload":
            files = json.loads(body)["files"]
            kind = lambda file: "lfs" if file["path"].endswith(".safetensors") else "regular"  # noqa: E731
            return self._send(
                {
                    "files": [
                        {"path": f["path"], "uploadMode": kind(f), "shouldIgnore": False}
                        for f in files
                    ]
                }
            )
        files = self.server.models[name, path[5]]  # commit
        for line in map(json.loads, body.splitlines()):
            value = line["value"]
            if line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                files[value["path"]] = self.server.large[value["oid"]]
        commit = self.server.revision(name, path[5])
        return self._send(
            {"commitUrl": f"{self.server.address}/{name}/commit/{commit}", "commitOid": commit}
        )


@contextmanager
def hub() -> Iterator[Hub]:
    server = Hub()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
