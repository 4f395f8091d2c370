# The checker and the reference agent, in one small image.
#
#   docker build --tag acp-journeys .
#   docker run --rm acp-journeys                       the seven journeys on the reference agent
#   COPY --from=acp-journeys /agent /agent             in another Dockerfile: the agent, which is static
#
# Nothing is fetched but the two base images and the crates of Cargo.lock, and no feature is used that
# only one builder has. docs/containers.md says what is in it, and what to do for agents that need more.

ARG RUST_IMAGE=rust:1.95.0-slim-bookworm
ARG BASE_IMAGE=debian:12.11-slim

# --- build: the three programs, linked statically
FROM ${RUST_IMAGE} AS build
# For another machine than the one that builds: the target of its Rust, installed in RUST_IMAGE.
ARG TARGET=
# Packed relocations make a static program some hundred kilobytes smaller.
ENV CARGO_INCREMENTAL=0 \
    CARGO_TERM_COLOR=never \
    RUSTFLAGS="-C target-feature=+crt-static -C link-arg=-Wl,-z,pack-relative-relocs --remap-path-prefix=/usr/local/cargo=/cargo"
WORKDIR /src
COPY . .
# A --target always: without one the flags would reach the macros too, and those cannot be static.
RUN target="${TARGET:-$(rustc --print host-tuple)}" \
 && cargo build --locked --release --target "$target" \
      --package acp-agent --package journeys-tests --package mcp-tools \
      --bin acp-agent --bin acp-journeys --bin mcp-tools \
 && install -D -t /out/agent/bin "target/$target/release/acp-agent" \
 && install -D -t /out/usr/local/bin "target/$target/release/acp-journeys" "target/$target/release/mcp-tools" \
 && readelf --dynamic /out/agent/bin/* /out/usr/local/bin/* > /tmp/dynamic \
 && ! grep NEEDED /tmp/dynamic

# --- agent: the agent alone, for `--target agent`
FROM scratch AS agent
COPY --from=build /out/agent /agent
ENTRYPOINT ["/agent/bin/acp-agent"]
CMD ["--acp"]

# --- tools: of Debian, only a shell with its tools, because agents run commands, and the libraries that
# an agent which is not static asks for
FROM ${BASE_IMAGE} AS tools
RUN mkdir -p /tools/usr/bin /tools/usr/sbin /tools/usr/lib /tools/usr/lib64 \
 && ln -s usr/bin usr/sbin usr/lib usr/lib64 /tools && ln -s mawk /tools/usr/bin/awk \
 && dpkg -L bash coreutils dash diffutils findutils grep hostname mawk sed > /tmp/programs \
 && dpkg -L libacl1 libattr1 libc6 libgcc-s1 libgmp10 libpcre2-8-0 libselinux1 libstdc++6 libtinfo6 > /tmp/libraries \
 && grep -E '^(/usr)?/s?bin/' /tmp/programs > /tmp/files \
 && grep -E '^(/usr)?/lib[^.]*/[^/]*\.so[^/]*$' /tmp/libraries >> /tmp/files \
 && echo /usr/lib/os-release >> /tmp/files \
 && sed -i -e '/\/gconv\//d' -e 's#^/##' /tmp/files \
 && tar -C / -cf /tmp/tools.tar --no-recursion -T /tmp/files \
 && tar -C /tools -xf /tmp/tools.tar

# --- the image
FROM scratch
COPY --from=tools /tools /
# The home is for whatever user the image is run as: a tmpfs put there takes over its mode.
RUN mkdir -p /etc /out /home/agent /tmp && chmod 1777 /home/agent /tmp \
 && ln -s ../usr/lib/os-release /etc/os-release \
 && echo 'hosts: files dns' > /etc/nsswitch.conf \
 && printf '%s\n' 'root:x:0:0:root:/:/bin/sh' 'agent:x:10001:10001:agent:/home/agent:/bin/sh' > /etc/passwd \
 && printf '%s\n' 'root:x:0:' 'agent:x:10001:' > /etc/group \
 && chown 10001:10001 /out
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY LICENSE /usr/share/doc/acp-journeys/LICENSE
COPY --from=build /out /
ARG VERSION=0.1.0
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.title="acp-journeys" \
      org.opencontainers.image.description="Drives any ACP agent through seven journeys; with a reference agent in /agent" \
      org.opencontainers.image.source="https://github.com/acp-reference/acp-reference" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}"
ENV HOME=/home/agent \
    PATH=/usr/local/bin:/usr/bin:/bin
USER 10001:10001
WORKDIR /home/agent
ENTRYPOINT ["acp-journeys"]
CMD ["run", "--json", "/out/result.json", "--", "/agent/bin/acp-agent", "--acp"]
