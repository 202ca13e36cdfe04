/* The grammar as a Python extension: its one function returns the language for `tree_sitter.Language`. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct TSLanguage TSLanguage;

TSLanguage *tree_sitter_nir(void);

static PyObject *binding_language(PyObject *self, PyObject *args) {
  (void)self;
  (void)args;
  return PyCapsule_New(tree_sitter_nir(), "tree_sitter.Language", NULL);
}

static struct PyModuleDef_Slot slots[] = {
#ifdef Py_GIL_DISABLED
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static PyMethodDef methods[] = {
    {"language", binding_language, METH_NOARGS, "The tree-sitter language of NIR text, as a capsule."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_binding",
    .m_doc = NULL,
    .m_size = 0,
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__binding(void) { return PyModuleDef_Init(&module); }
