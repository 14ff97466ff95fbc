# po3d with its renderer, on the CPU; `docker build -t po3d . && docker run --rm po3d doctor`
FROM python:3.12-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends libegl1 libegl-mesa0 libgl1-mesa-dri git \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /po3d
COPY . .
RUN pip install --no-cache-dir '.[synthesis,report]'
WORKDIR /work
ENTRYPOINT ["po3d"]
CMD ["--help"]
