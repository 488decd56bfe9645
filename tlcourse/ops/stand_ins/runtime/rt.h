// Stands in for the header of CANN's runtime, as far as a host wrapper needs it.
#pragma once
#include <cstdint>
typedef int32_t rtError_t;
typedef void *rtStream_t;
#define RT_ERROR_NONE 0
extern "C" rtError_t rtGetC2cCtrlAddr(uint64_t *address, uint32_t *bytes);
extern "C" rtError_t rtKernelLaunch(const void *function, uint32_t blocks, void *arguments,
                                    uint32_t bytes, void *unused, rtStream_t stream);
