// The host side of the kernel flash_attention, made from its signature.
//   grid: (heads * (S // 64))
#include <Python.h>
#include <cstdint>
#include "runtime/rt.h"

// 1. What the device function finds in its argument memory, in this order: what the hardware and
//    the compiler add, the kernel's own parameters, symbolic sizes, the grid.
struct __attribute__((packed)) Arguments {
  void *ffts_addr __attribute__((aligned(8)));
  void *sync_block_lock __attribute__((aligned(8)));
  void *workspace __attribute__((aligned(8)));
  void *Q_arg __attribute__((aligned(8)));  // float16 [heads, S, 64]
  void *K_arg __attribute__((aligned(8)));  // float16 [heads // 1, L, 64]
  void *V_arg __attribute__((aligned(8)));  // float16 [heads // 1, L, 64]
  int32_t length_arg __attribute__((aligned(4)));  // int32 scalar
  void *O_arg __attribute__((aligned(8)));  // float16 [heads, S, 64]
  int32_t heads_arg __attribute__((aligned(4)));  // int32 symbol
  int32_t S_arg __attribute__((aligned(4)));  // int32 symbol
  int32_t L_arg __attribute__((aligned(4)));  // int32 symbol
  int32_t grid_x __attribute__((aligned(4)));
  int32_t grid_y __attribute__((aligned(4)));
  int32_t grid_z __attribute__((aligned(4)));
};

// 2. Puts the arguments into the struct and the kernel on a stream.
static rtError_t launch(const void *function, rtStream_t stream, void *workspace, int32_t grid_x, int32_t grid_y, int32_t grid_z, void *Q_arg, void *K_arg, void *V_arg, int32_t length_arg, void *O_arg, int32_t heads_arg, int32_t S_arg, int32_t L_arg) {
  void *ffts_addr = nullptr;
  uint32_t ffts_bytes = 0;
  rtError_t state = rtGetC2cCtrlAddr(reinterpret_cast<uint64_t *>(&ffts_addr), &ffts_bytes);
  if (state != RT_ERROR_NONE)
    return state;
  uint32_t blocks = static_cast<uint32_t>(grid_x * grid_y * grid_z);
  Arguments arguments = {ffts_addr, nullptr, workspace, Q_arg, K_arg, V_arg, length_arg, O_arg, heads_arg, S_arg, L_arg, grid_x, grid_y, grid_z};
  return rtKernelLaunch(function, blocks, &arguments, sizeof(arguments), nullptr, stream);
}

// 3. What Python calls: numbers and addresses, in the order of the signature.
static PyObject *launch_from_python(PyObject *, PyObject *python_arguments) {
  unsigned long long function, stream, workspace;
  int grid_x, grid_y, grid_z;
  unsigned long long Q_arg;
  unsigned long long K_arg;
  unsigned long long V_arg;
  int32_t length_arg;
  unsigned long long O_arg;
  int32_t heads_arg;
  int32_t S_arg;
  int32_t L_arg;
  if (!PyArg_ParseTuple(python_arguments, "KKKiiiKKKiKiii", &function, &stream, &workspace, &grid_x, &grid_y, &grid_z, &Q_arg, &K_arg, &V_arg, &length_arg, &O_arg, &heads_arg, &S_arg, &L_arg))
    return nullptr;
  rtError_t state = launch(reinterpret_cast<const void *>(function), reinterpret_cast<rtStream_t>(stream), reinterpret_cast<void *>(workspace), grid_x, grid_y, grid_z, reinterpret_cast<void *>(Q_arg), reinterpret_cast<void *>(K_arg), reinterpret_cast<void *>(V_arg), length_arg, reinterpret_cast<void *>(O_arg), heads_arg, S_arg, L_arg);
  return PyLong_FromLong(state);
}

static PyMethodDef methods[] = {
    {"launch", launch_from_python, METH_VARARGS, "Starts flash_attention."},
    {nullptr, nullptr, 0, nullptr}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "flash_attention", nullptr, -1, methods};
PyMODINIT_FUNC PyInit_flash_attention(void) { return PyModule_Create(&module); }
