# Compiler flags by layer, beside sources.mk and for the same readers. Plain `NAME := words` only: setup.py parses it.
CORE_FLAGS := -std=c11 -fvisibility=hidden -Wall -Wextra
NET_FLAGS := -std=c11 -D_GNU_SOURCE -pthread -fvisibility=hidden -Wall -Wextra
PY_FLAGS := -std=c11 -fvisibility=hidden -Wall -Wextra
CXX_FLAGS := -std=c++17 -fno-exceptions -fno-rtti -DSIMDJSON_EXCEPTIONS=0 -fvisibility=hidden -Wall -Wextra
PACKAGES := libcurl libxml-2.0 libutf8proc simdjson
