// Stands in for CPython's header, as far as a host wrapper needs it.
#pragma once
typedef struct _object PyObject;
typedef PyObject *(*PyCFunction)(PyObject *, PyObject *);
struct PyMethodDef {
  const char *name;
  PyCFunction function;
  int flags;
  const char *text;
};
struct PyModuleDef_Base {
  int head;
};
struct PyModuleDef {
  PyModuleDef_Base base;
  const char *name;
  const char *text;
  long size;
  PyMethodDef *methods;
};
#define PyModuleDef_HEAD_INIT \
  { 0 }
#define METH_VARARGS 1
#define PyMODINIT_FUNC extern "C" PyObject *
extern "C" int PyArg_ParseTuple(PyObject *, const char *, ...);
extern "C" PyObject *PyLong_FromLong(long);
extern "C" PyObject *PyModule_Create(PyModuleDef *);
